// SPDX-License-Identifier: Apache-2.0
import { allocateSlots, boundLength, grownLength, isFull, slotBytesFor } from "./growing-store.ts";

/** The initial number of slots and elements. */
const firstSlotCount = 16;
const firstLength = 16;

function hashGroup(ids: Uint32Array, from: number, end: number): number {
  let hash = end - from;
  for (let at = from; at < end; at += 1) hash = Math.imul(hash ^ (ids[at] ?? 0), 0x9e3779b1) ^ (hash >>> 15);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (hash ^ (hash >>> 13)) >>> 0;
}

/**
 * Distinct sequences of ids: label sets (keys and values alternate), lists of texts, owners. Group 0 is the empty
 * sequence. Numbers are consecutive and never change.
 */
export class GroupDictionary {
  #ids = new Uint32Array(firstLength);
  /** Group `number` spans `offsets[number]` to `offsets[number + 1]`. */
  #offsets = new Uint32Array(firstLength);
  #count = 1;
  /** Numbers; 0 = free. Open addressing with linear probing. No number was placed before a smaller one. */
  #slots = allocateSlots(firstSlotCount);

  /** The number of groups, including the empty one. */
  get count(): number {
    return this.#count;
  }

  /** The number of ids of all groups. */
  get idCount(): number {
    return this.#offsets[this.#count] ?? 0;
  }

  get sizeBytes(): number {
    return this.#ids.byteLength + this.#offsets.byteLength + this.#slots.byteLength;
  }

  /** An upper bound of the size with `groupCount` more groups of `idCount` ids. */
  boundBytes(groupCount: number, idCount: number): number {
    const offsets = boundLength(this.#offsets.length, this.#count + groupCount + 1);
    const ids = boundLength(this.#ids.length, this.idCount + idCount);
    return (ids + offsets) * 4 + slotBytesFor(this.#count + groupCount, this.#slots.length);
  }

  /** The number of a sequence, added if it is new. */
  intern(ids: Uint32Array, from = 0, end = ids.length): number {
    if (from === end) return 0;
    const slot = this.#find(ids, from, end);
    const known = this.#slots[slot] ?? 0;
    return known === 0 ? this.#add(slot, ids, from, end) : known;
  }

  /** The number of a sequence, or -1 if it was never added. */
  find(ids: Uint32Array, from = 0, end = ids.length): number {
    if (from === end) return 0;
    return (this.#slots[this.#find(ids, from, end)] ?? 0) || -1;
  }

  /** The ids of a group, borrowed until the next `intern`. */
  get(number: number): Uint32Array {
    return this.#ids.subarray(this.#offsets[number], this.#offsets[number + 1]);
  }

  /** The ids of all groups. Borrowed until the next `intern`. */
  get ids(): Uint32Array {
    return this.#ids;
  }

  /** The place of a group's first id in `ids`. */
  startOf(number: number): number {
    return this.#offsets[number] ?? 0;
  }

  /** The place after a group's last id in `ids`. */
  endOf(number: number): number {
    return this.#offsets[number + 1] ?? 0;
  }

  /** Removes the groups from number `count` on. */
  truncate(count: number): void {
    for (let number = this.#count - 1; number >= count; number -= 1)
      this.#slots[this.#find(this.#ids, this.startOf(number), this.endOf(number))] = 0;
    this.#count = Math.min(this.#count, count);
  }

  /** Releases memory that was reserved for growth. */
  trim(): void {
    this.#ids = this.#ids.slice(0, this.idCount);
    this.#offsets = this.#offsets.slice(0, this.#count + 1);
  }

  #add(slot: number, ids: Uint32Array, from: number, end: number): number {
    const number = this.#count;
    const start = this.idCount;
    this.#reserve(start + end - from);
    for (let at = from; at < end; at += 1) this.#ids[start + at - from] = ids[at] ?? 0;
    this.#offsets[number + 1] = start + end - from;
    this.#count += 1;
    this.#slots[slot] = number;
    if (isFull(this.#count, this.#slots.length)) this.#rehash();
    return number;
  }

  #reserve(idCount: number): void {
    if (idCount > this.#ids.length) {
      const larger = new Uint32Array(grownLength(this.#ids.length, idCount));
      larger.set(this.#ids);
      this.#ids = larger;
    }
    if (this.#count + 2 > this.#offsets.length) {
      const larger = new Uint32Array(grownLength(this.#offsets.length, this.#count + 2));
      larger.set(this.#offsets);
      this.#offsets = larger;
    }
  }

  /** The slot of the sequence, or the free slot where it belongs. */
  #find(ids: Uint32Array, from: number, end: number): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    let slot = hashGroup(ids, from, end) & mask;
    for (;;) {
      const number = slots[slot] ?? 0;
      if (number === 0 || this.#isSame(number, ids, from, end)) return slot;
      slot = (slot + 1) & mask;
    }
  }

  #isSame(number: number, ids: Uint32Array, from: number, end: number): boolean {
    const start = this.startOf(number);
    const length = end - from;
    if (this.endOf(number) - start !== length) return false;
    const own = this.#ids;
    for (let at = 0; at < length; at += 1) if (own[start + at] !== ids[from + at]) return false;
    return true;
  }

  #rehash(): void {
    const slots = allocateSlots(this.#slots.length * 2);
    const mask = slots.length - 1;
    for (let number = 1; number < this.#count; number += 1) {
      let slot = hashGroup(this.#ids, this.startOf(number), this.endOf(number)) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = number;
    }
    this.#slots = slots;
  }
}
