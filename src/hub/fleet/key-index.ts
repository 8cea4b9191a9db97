// SPDX-License-Identifier: Apache-2.0
import { sessionBucketCount } from "../../model/bucket.ts";

/** Bits of a key's hash that name its bucket (SE24). */
const bucketBits = Math.log2(sessionBucketCount);

/** Entries a table begins with; most kinds of most clusters have fewer. */
const firstBits = 4;

/** Slots copied in one step: 2 MiB, or some 3 ms where entries are placed anew. Kinds of fewer than 200,000 rows are copied in one. */
const stepSlotCount = 1 << 18;

/** Beyond three quarters probes grow long. */
function isFull(count: number, slotCount: number): boolean {
  return count * 4 > slotCount * 3;
}

/** Where a row lies: the place of its segment and the place in it, in one number. */
export type RowRef = number;

/** Puts the bits that name the bucket first, so that the entries of a bucket lie together. */
function bucketFirst(hash: number): number {
  return ((hash << (32 - bucketBits)) | (hash >>> bucketBits)) >>> 0;
}

/**
 * Finds rows by the hash of their key, in eight bytes an entry and without a text per row: open addressing with linear
 * probing, in which all keys of one bucket are neighbours. It knows no keys; `isKey` tells whether a row is the one looked for.
 */
export class KeyIndex {
  #bits = firstBits;
  #hashes = new Uint32Array(1 << firstBits);
  /** Refs plus one; 0 = free. */
  #refs = new Uint32Array(1 << firstBits);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** The same entries in a table of its own, with room for so many more. Made in steps, between which this one must not change. */
  *forkInSteps(moreCount: number): Generator<void, KeyIndex, undefined> {
    const forked = new KeyIndex();
    forked.#bits = this.#bits;
    while (isFull(this.#count + moreCount, 1 << forked.#bits)) forked.#bits += 1;
    forked.#hashes = new Uint32Array(1 << forked.#bits);
    forked.#refs = new Uint32Array(1 << forked.#bits);
    forked.#count = this.#count;
    for (let from = 0; from < this.#refs.length; from += stepSlotCount) {
      if (from > 0) yield;
      forked.#copy(this, from, Math.min(this.#refs.length, from + stepSlotCount));
    }
    return forked;
  }

  /** Bytes of the table. */
  get sizeBytes(): number {
    return this.#hashes.byteLength + this.#refs.byteLength;
  }

  /** The slot of a key, or -1. A slot is good until the next insert or remove. */
  find(hash: number, isKey: (ref: RowRef) => boolean): number {
    const wanted = bucketFirst(hash);
    const mask = this.#refs.length - 1;
    for (let slot = this.#home(wanted); ; slot = (slot + 1) & mask) {
      const ref = this.#refs[slot] ?? 0;
      if (ref === 0) return -1;
      if (this.#hashes[slot] === wanted && isKey(ref - 1)) return slot;
    }
  }

  refAt(slot: number): RowRef {
    return (this.#refs[slot] ?? 0) - 1;
  }

  setRef(slot: number, ref: RowRef): void {
    this.#refs[slot] = ref + 1;
  }

  /** Adds a key that is not in. */
  insert(hash: number, ref: RowRef): void {
    if (isFull(this.#count + 1, this.#refs.length)) this.#grow();
    this.#place(bucketFirst(hash), ref + 1);
    this.#count += 1;
  }

  /** Takes an entry out and closes the gap, so that no probe ends too early. */
  removeAt(slot: number): void {
    const mask = this.#refs.length - 1;
    let free = slot;
    for (let next = (slot + 1) & mask; (this.#refs[next] ?? 0) !== 0; next = (next + 1) & mask) {
      const home = this.#home(this.#hashes[next] ?? 0);
      // An entry may move back to the gap unless its home lies behind it.
      const isBehind = free <= next ? free < home && home <= next : free < home || home <= next;
      if (isBehind) continue;
      this.#hashes[free] = this.#hashes[next] ?? 0;
      this.#refs[free] = this.#refs[next] ?? 0;
      free = next;
    }
    this.#refs[free] = 0;
    this.#count -= 1;
  }

  /** The rows of one of the session's buckets, in no order. */
  inBucket(bucket: number): RowRef[] {
    const found: RowRef[] = [];
    const mask = this.#refs.length - 1;
    const low = bucketFirst(bucket);
    const last = this.#home((low | (0xffff_ffff >>> bucketBits)) >>> 0);
    let slot = this.#home(low);
    // Entries of a bucket start at its own slots; those that found them taken follow without a gap.
    for (let isPast = false; !(isPast && (this.#refs[slot] ?? 0) === 0); slot = (slot + 1) & mask) {
      const ref = this.#refs[slot] ?? 0;
      if (ref !== 0 && (this.#hashes[slot] ?? 0) >>> (32 - bucketBits) === bucket) found.push(ref - 1);
      if (slot === last) isPast = true;
    }
    return found;
  }

  /** Calls back for every row, with its session bucket; in order of the buckets but for those that found their slots taken. */
  forEach(visit: (ref: RowRef, bucket: number) => void): void {
    for (let slot = 0; slot < this.#refs.length; slot += 1) {
      const ref = this.#refs[slot] ?? 0;
      if (ref !== 0) visit(ref - 1, (this.#hashes[slot] ?? 0) >>> (32 - bucketBits));
    }
  }

  #home(bucketFirstHash: number): number {
    return bucketFirstHash >>> (32 - this.#bits);
  }

  #place(bucketFirstHash: number, refPlusOne: number): void {
    const mask = this.#refs.length - 1;
    let slot = this.#home(bucketFirstHash);
    while ((this.#refs[slot] ?? 0) !== 0) slot = (slot + 1) & mask;
    this.#hashes[slot] = bucketFirstHash;
    this.#refs[slot] = refPlusOne;
  }

  #grow(): void {
    const old = new KeyIndex();
    [old.#bits, old.#hashes, old.#refs] = [this.#bits, this.#hashes, this.#refs];
    this.#bits += 1;
    this.#hashes = new Uint32Array(1 << this.#bits);
    this.#refs = new Uint32Array(1 << this.#bits);
    this.#copy(old, 0, old.#refs.length);
  }

  /** Takes the entries of some slots of another table over: as they lie, or placed anew where the tables differ in size. */
  #copy(other: KeyIndex, from: number, end: number): void {
    if (this.#bits === other.#bits) {
      this.#hashes.set(other.#hashes.subarray(from, end), from);
      this.#refs.set(other.#refs.subarray(from, end), from);
      return;
    }
    for (let slot = from; slot < end; slot += 1) {
      const ref = other.#refs[slot] ?? 0;
      if (ref !== 0) this.#place(other.#hashes[slot] ?? 0, ref);
    }
  }
}
