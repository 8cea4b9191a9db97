// SPDX-License-Identifier: Apache-2.0
import { growingBytes, growingIds } from "../../model/row-batch/growing-array.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** The initial hash table size, as a power of two. */
const firstBits = 8;

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
  readonly #bytes = growingBytes();
  /** Text `id` ends at `ends[id]` and begins where the previous one ends. */
  readonly #ends = growingIds();
  #bits = firstBits;
  /** Texts with letters that have another case, or that are not ASCII. A search in any case looks at each of them. */
  readonly #mixedIds = growingIds();
  /** Ids; 0 = free. Open addressing with linear probing. */
  #slots = new Uint32Array(1 << firstBits);

  constructor() {
    this.#ends.append([0]);
  }

  /** The number of texts, including the empty one. */
  get count(): number {
    return this.#ends.length;
  }

  get sizeBytes(): number {
    return this.#bytes.capacityBytes + this.#ends.capacityBytes + this.#slots.byteLength;
  }

  /** The id of a text, added if it is new. */
  intern(bytes: Uint8Array, from = 0, end = bytes.length): number {
    if (from === end) return 0;
    const slot = this.#find(bytes, from, end);
    const known = this.#slots[slot] ?? 0;
    if (known !== 0) return known;
    const id = this.count;
    const start = this.#bytes.extend(end - from);
    this.#bytes.elements.set(bytes.subarray(from, end), start);
    this.#ends.append([this.#bytes.length]);
    if (hasOtherCase(bytes, from, end)) this.#mixedIds.append([id]);
    this.#slots[slot] = id;
    if (this.count * 2 > this.#slots.length) this.#grow();
    return id;
  }

  /** The id of a text; undefined if no row ever had it. */
  find(text: string): number | undefined {
    if (text === "") return 0;
    const bytes = encoder.encode(text);
    const id = this.#slots[this.#find(bytes, 0, bytes.length)] ?? 0;
    return id === 0 ? undefined : id;
  }

  /** The bytes of a text, borrowed until the next `intern`. */
  bytesOf(id: number): Uint8Array {
    return this.#bytes.elements.subarray(this.startOf(id), this.#ends.elements[id]);
  }

  get(id: number): string {
    return id === 0 ? "" : decoder.decode(this.bytesOf(id));
  }

  /** Compares two texts bytewise. */
  compare(a: number, b: number): number {
    if (a === b) return 0;
    const bytes = this.#bytes.elements;
    const [aFrom, aEnd] = [this.startOf(a), this.#ends.elements[a] ?? 0];
    const [bFrom, bEnd] = [this.startOf(b), this.#ends.elements[b] ?? 0];
    const most = Math.min(aEnd - aFrom, bEnd - bFrom);
    for (let at = 0; at < most; at += 1) {
      const difference = (bytes[aFrom + at] ?? 0) - (bytes[bFrom + at] ?? 0);
      if (difference !== 0) return difference;
    }
    return aEnd - aFrom - (bEnd - bFrom);
  }

  /** All texts, concatenated. Borrowed until the next `intern`. */
  get bytes(): Uint8Array {
    return this.#bytes.elements.subarray(0, this.#bytes.length);
  }

  /** The ids of texts that a search in lower case may miss. Borrowed until the next `intern`. */
  get mixedIds(): Uint32Array {
    return this.#mixedIds.elements.subarray(0, this.#mixedIds.length);
  }

  /** The text that has the byte at this place of `bytes`. */
  idAt(at: number): number {
    const ends = this.#ends.elements;
    let [low, high] = [1, this.count - 1];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((ends[middle] ?? 0) > at) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  endOf(id: number): number {
    return this.#ends.elements[id] ?? 0;
  }

  startOf(id: number): number {
    return id === 0 ? 0 : (this.#ends.elements[id - 1] ?? 0);
  }

  /** The slot of the text, or the free slot where it belongs. */
  #find(bytes: Uint8Array, from: number, end: number): number {
    const mask = this.#slots.length - 1;
    let slot = hashBytes(bytes, from, end) & mask;
    for (;;) {
      const id = this.#slots[slot] ?? 0;
      if (id === 0 || this.#isSame(id, bytes, from, end)) return slot;
      slot = (slot + 1) & mask;
    }
  }

  #isSame(id: number, bytes: Uint8Array, from: number, end: number): boolean {
    const start = this.startOf(id);
    if ((this.#ends.elements[id] ?? 0) - start !== end - from) return false;
    const own = this.#bytes.elements;
    for (let at = 0; at < end - from; at += 1) if (own[start + at] !== bytes[from + at]) return false;
    return true;
  }

  #grow(): void {
    this.#bits += 1;
    this.#slots = new Uint32Array(1 << this.#bits);
    const mask = this.#slots.length - 1;
    const bytes = this.#bytes.elements;
    for (let id = 1; id < this.count; id += 1) {
      let slot = hashBytes(bytes, this.startOf(id), this.#ends.elements[id] ?? 0) & mask;
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
      this.#slots[slot] = id;
    }
  }
}
