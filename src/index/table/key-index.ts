// SPDX-License-Identifier: Apache-2.0
import { sessionBucketCount } from "../../model/rows/bucket.ts";

/** The bits of a key's hash that determine its bucket (SE24). */
const bucketBits = Math.log2(sessionBucketCount);

/** The initial table size, as a power of two. Most kinds of most clusters have fewer rows. */
const firstBits = 4;

/**
 * Slots copied in one step: 2 MiB, or some 3 ms if entries are rehashed. Kinds of fewer than 200,000 rows are copied in
 * one step.
 */
const stepSlotCount = 1 << 18;

/** Probe sequences grow long above a load of three quarters. */
function isFull(count: number, slotCount: number): boolean {
  return count * 4 > slotCount * 3;
}

/** The location of a row: its segment's place and its place in the segment, in one number. */
export type RowRef = number;

/** Moves the bucket bits to the top, so that the entries of a bucket are adjacent. */
function bucketFirst(hash: number): number {
  return ((hash << (32 - bucketBits)) | (hash >>> bucketBits)) >>> 0;
}

/**
 * Finds rows by the hash of their key, in eight bytes an entry and without a string per row. Open addressing with
 * linear probing; all keys of one bucket are adjacent. It holds no keys: `isKey` decides whether a row has the key.
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

  /**
   * Copies the entries into a new table with room for `moreCount` more. Copies in steps; this index must not change
   * between them.
   */
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

  /** The slot of a key, or -1. Valid until the next insert or remove. */
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

  /** Adds a key that is not in the index. */
  insert(hash: number, ref: RowRef): void {
    if (isFull(this.#count + 1, this.#refs.length)) this.#grow();
    this.#place(bucketFirst(hash), ref + 1);
    this.#count += 1;
  }

  /** Removes an entry and moves later entries into the gap, so that no probe ends too early. */
  removeAt(slot: number): void {
    const mask = this.#refs.length - 1;
    let free = slot;
    for (let next = (slot + 1) & mask; (this.#refs[next] ?? 0) !== 0; next = (next + 1) & mask) {
      const home = this.#home(this.#hashes[next] ?? 0);
      // An entry moves into the gap unless its home slot is after the gap.
      const isBehind = free <= next ? free < home && home <= next : free < home || home <= next;
      if (isBehind) continue;
      this.#hashes[free] = this.#hashes[next] ?? 0;
      this.#refs[free] = this.#refs[next] ?? 0;
      free = next;
    }
    this.#refs[free] = 0;
    this.#count -= 1;
  }

  /** The rows of one session bucket, in no order. */
  inBucket(bucket: number): RowRef[] {
    const found: RowRef[] = [];
    const mask = this.#refs.length - 1;
    const low = bucketFirst(bucket);
    const last = this.#home((low | (0xffff_ffff >>> bucketBits)) >>> 0);
    let slot = this.#home(low);
    // Entries of a bucket start in its own slots. Displaced entries follow without a gap.
    for (let isPast = false; !(isPast && (this.#refs[slot] ?? 0) === 0); slot = (slot + 1) & mask) {
      const ref = this.#refs[slot] ?? 0;
      if (ref !== 0 && (this.#hashes[slot] ?? 0) >>> (32 - bucketBits) === bucket) found.push(ref - 1);
      if (slot === last) isPast = true;
    }
    return found;
  }

  /** Visits every row with its session bucket, in bucket order except for displaced entries. */
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

  /** Copies a range of slots from another table: unchanged if the tables have the same size, rehashed otherwise. */
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
