// SPDX-License-Identifier: Apache-2.0
import { allocateSlots, boundLength, grownLength, isFull, slotBytesFor } from "./growing-store.ts";
import { signatureOf, type TextSignature } from "./text-signature.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** The initial number of slots, texts and bytes. */
const firstSlotCount = 64;
const firstTextCount = 16;
const firstByteCount = 256;

/** FNV-1a over bytes, then MurmurHash3's finalizer, so that the low bits depend on all input. */
function hashBytes(bytes: Uint8Array, from: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let at = from; at < end; at += 1) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** True for capital letters of ASCII and for every other character: their case is not compared by bytes. */
function hasOtherCase(bytes: Uint8Array, from: number, end: number): boolean {
  for (let at = from; at < end; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte >= 0x80 || (byte >= 0x41 && byte <= 0x5a)) return true;
  }
  return false;
}

/**
 * The distinct texts of one cluster, as UTF-8 bytes. Id 0 is the empty text. Ids are consecutive and never change; texts
 * that no row uses any more go when the cluster's tables are compacted.
 */
export class TextDictionary {
  #bytes = new Uint8Array(firstByteCount);
  /** Text `id` spans `offsets[id]` to `offsets[id + 1]`. */
  #offsets = new Uint32Array(firstTextCount + 1);
  #count = 1;
  /** One bit per text: it has capital letters, or is not ASCII. */
  #mixedFlags = new Uint8Array(firstTextCount >>> 3);
  /** Ids; 0 = free. Open addressing with linear probing. No id was placed before a smaller one. */
  #slots = allocateSlots(firstSlotCount);

  /** The number of texts, including the empty one. */
  get count(): number {
    return this.#count;
  }

  /** The bytes of all texts. */
  get byteCount(): number {
    return this.#offsets[this.#count] ?? 0;
  }

  get sizeBytes(): number {
    return this.#bytes.byteLength + this.#offsets.byteLength + this.#mixedFlags.byteLength + this.#slots.byteLength;
  }

  /** An upper bound of the size with `textCount` more texts of `byteCount` bytes. */
  boundBytes(textCount: number, byteCount: number): number {
    const count = boundLength(this.#offsets.length, this.#count + textCount + 1);
    const bytes = boundLength(this.#bytes.length, this.byteCount + byteCount);
    return bytes + count * 5 + slotBytesFor(this.#count + textCount, this.#slots.length);
  }

  /** The id of a text, added if it is new. */
  intern(bytes: Uint8Array, from = 0, end = bytes.length): number {
    if (from === end) return 0;
    const slot = this.#find(bytes, from, end);
    const known = this.#slots[slot] ?? 0;
    return known === 0 ? this.#add(slot, bytes, from, end) : known;
  }

  /** The id of a text; undefined if no row ever had it. */
  find(text: string): number | undefined {
    const bytes = encoder.encode(text);
    const id = this.findBytes(bytes, 0, bytes.length);
    return id === -1 ? undefined : id;
  }

  /** The id of a text, or -1 if no row ever had it. */
  findBytes(bytes: Uint8Array, from: number, end: number): number {
    if (from === end) return 0;
    return (this.#slots[this.#find(bytes, from, end)] ?? 0) || -1;
  }

  /** The bytes of a text, borrowed until the next `intern`. */
  bytesOf(id: number): Uint8Array {
    return this.#bytes.subarray(this.#offsets[id], this.#offsets[id + 1]);
  }

  /** Whether a text has capital letters or is not ASCII: its case is not compared by bytes. */
  isMixed(id: number): boolean {
    return ((this.#mixedFlags[id >>> 3] ?? 0) & (1 << (id & 7))) !== 0;
  }

  signature(id: number): TextSignature {
    return signatureOf(this.#bytes, this.startOf(id), this.endOf(id));
  }

  get(id: number): string {
    return id === 0 ? "" : decoder.decode(this.bytesOf(id));
  }

  /** Compares two texts bytewise. */
  compare(a: number, b: number): number {
    if (a === b) return 0;
    const bytes = this.#bytes;
    const offsets = this.#offsets;
    const aFrom = offsets[a] ?? 0;
    const bFrom = offsets[b] ?? 0;
    const aCount = (offsets[a + 1] ?? 0) - aFrom;
    const bCount = (offsets[b + 1] ?? 0) - bFrom;
    const most = aCount < bCount ? aCount : bCount;
    for (let at = 0; at < most; at += 1) {
      const difference = (bytes[aFrom + at] ?? 0) - (bytes[bFrom + at] ?? 0);
      if (difference !== 0) return difference;
    }
    return aCount - bCount;
  }

  /** All texts, concatenated. Borrowed until the next `intern`. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.byteCount);
  }

  /** Calls back with the ids of texts that a search in lower case may miss. */
  forEachMixed(visit: (id: number) => void): void {
    for (const [at, flags] of this.#mixedFlags.entries())
      for (let bit = 0; flags >> bit > 0; bit += 1) if (((flags >> bit) & 1) === 1) visit(at * 8 + bit);
  }

  /** The text that has the byte at this place of `bytes`; `from` or a later one. Near that one it takes few steps. */
  idAt(at: number, from = 1): number {
    const last = this.#count - 1;
    let low = Math.max(1, from);
    let step = 1;
    while (low + step < last && (this.#offsets[low + step] ?? 0) <= at) {
      low += step;
      step *= 2;
    }
    let high = Math.min(low + step, last);
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#offsets[middle + 1] ?? 0) > at) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  endOf(id: number): number {
    return this.#offsets[id + 1] ?? 0;
  }

  startOf(id: number): number {
    return this.#offsets[id] ?? 0;
  }

  /** Removes the texts from id `count` on. A smaller id was placed before them, so no probe sequence needs them. */
  truncate(count: number): void {
    for (let id = this.#count - 1; id >= count; id -= 1) {
      this.#slots[this.#find(this.#bytes, this.startOf(id), this.endOf(id))] = 0;
      this.#mixedFlags[id >>> 3] = (this.#mixedFlags[id >>> 3] ?? 0) & ~(1 << (id & 7));
    }
    this.#count = Math.min(this.#count, count);
  }

  /** Releases memory that was reserved for growth. */
  trim(): void {
    this.#bytes = this.#bytes.slice(0, this.byteCount);
    this.#offsets = this.#offsets.slice(0, this.#count + 1);
    this.#mixedFlags = this.#mixedFlags.slice(0, (this.#count >>> 3) + 1);
  }

  #add(slot: number, bytes: Uint8Array, from: number, end: number): number {
    const id = this.#count;
    const start = this.byteCount;
    this.#reserve(start + end - from);
    const own = this.#bytes;
    // Texts are short: a loop is faster than a view and `set`.
    for (let at = from; at < end; at += 1) own[start + at - from] = bytes[at] ?? 0;
    this.#offsets[id + 1] = start + end - from;
    this.#count += 1;
    if (hasOtherCase(bytes, from, end)) this.#addMixed(id);
    this.#slots[slot] = id;
    if (isFull(this.#count, this.#slots.length)) this.#rehash();
    return id;
  }

  #reserve(byteCount: number): void {
    if (byteCount > this.#bytes.length) {
      const larger = new Uint8Array(grownLength(this.#bytes.length, byteCount));
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    if (this.#count + 2 > this.#offsets.length) {
      const larger = new Uint32Array(grownLength(this.#offsets.length, this.#count + 2));
      larger.set(this.#offsets);
      this.#offsets = larger;
    }
  }

  #addMixed(id: number): void {
    if (id >>> 3 >= this.#mixedFlags.length) {
      const larger = new Uint8Array(grownLength(this.#mixedFlags.length, (id >>> 3) + 1));
      larger.set(this.#mixedFlags);
      this.#mixedFlags = larger;
    }
    this.#mixedFlags[id >>> 3] = (this.#mixedFlags[id >>> 3] ?? 0) | (1 << (id & 7));
  }

  /** The slot of the text, or the free slot where it belongs. */
  #find(bytes: Uint8Array, from: number, end: number): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    let slot = hashBytes(bytes, from, end) & mask;
    for (;;) {
      const id = slots[slot] ?? 0;
      if (id === 0 || this.#isSame(id, bytes, from, end)) return slot;
      slot = (slot + 1) & mask;
    }
  }

  #isSame(id: number, bytes: Uint8Array, from: number, end: number): boolean {
    const start = this.#offsets[id] ?? 0;
    const byteCount = end - from;
    if ((this.#offsets[id + 1] ?? 0) - start !== byteCount) return false;
    const own = this.#bytes;
    // Names share their beginnings more often than their ends.
    for (let at = byteCount - 1; at >= 0; at -= 1) if (own[start + at] !== bytes[from + at]) return false;
    return true;
  }

  #rehash(): void {
    const slots = allocateSlots(this.#slots.length * 2);
    const mask = slots.length - 1;
    for (let id = 1; id < this.#count; id += 1) {
      let slot = hashBytes(this.#bytes, this.startOf(id), this.endOf(id)) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = id;
    }
    this.#slots = slots;
  }
}
