// SPDX-License-Identifier: Apache-2.0
import { type GrowingArray, growingIds } from "../../model/row-batch/growing-array.ts";

/** The initial hash table size, as a power of two. */
const firstBits = 6;

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
  readonly #ids: GrowingArray<Uint32Array<ArrayBuffer>> = growingIds();
  /** Group `number` ends at `ends[number]` and begins where the previous one ends. */
  readonly #ends = growingIds();
  #slots = new Uint32Array(1 << firstBits);

  constructor() {
    this.#ends.append([0]);
  }

  /** The number of groups, including the empty one. */
  get count(): number {
    return this.#ends.length;
  }

  get sizeBytes(): number {
    return this.#ids.capacityBytes + this.#ends.capacityBytes + this.#slots.byteLength;
  }

  /** The number of a sequence, added if it is new. */
  intern(ids: Uint32Array, from = 0, end = ids.length): number {
    if (from === end) return 0;
    const mask = this.#slots.length - 1;
    let slot = hashGroup(ids, from, end) & mask;
    for (;;) {
      const number = this.#slots[slot] ?? 0;
      if (number === 0) break;
      if (this.#isSame(number, ids, from, end)) return number;
      slot = (slot + 1) & mask;
    }
    const number = this.count;
    const start = this.#ids.extend(end - from);
    this.#ids.elements.set(ids.subarray(from, end), start);
    this.#ends.append([this.#ids.length]);
    this.#slots[slot] = number;
    if (this.count * 2 > this.#slots.length) this.#grow();
    return number;
  }

  /** The ids of a group, borrowed until the next `intern`. */
  get(number: number): Uint32Array {
    return this.#ids.elements.subarray(this.#startOf(number), this.#ends.elements[number]);
  }

  #startOf(number: number): number {
    return number === 0 ? 0 : (this.#ends.elements[number - 1] ?? 0);
  }

  #isSame(number: number, ids: Uint32Array, from: number, end: number): boolean {
    const start = this.#startOf(number);
    if ((this.#ends.elements[number] ?? 0) - start !== end - from) return false;
    const own = this.#ids.elements;
    for (let at = 0; at < end - from; at += 1) if (own[start + at] !== ids[from + at]) return false;
    return true;
  }

  #grow(): void {
    this.#slots = new Uint32Array(this.#slots.length * 2);
    const mask = this.#slots.length - 1;
    for (let number = 1; number < this.count; number += 1) {
      let slot = hashGroup(this.#ids.elements, this.#startOf(number), this.#ends.elements[number] ?? 0) & mask;
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
      this.#slots[slot] = number;
    }
  }
}
