// SPDX-License-Identifier: Apache-2.0
import { sessionBucketCount } from "../../model/rows/bucket.ts";
import { allocateSlots, isFull, slotBytesFor, slotCountFor } from "./growing-store.ts";
import type { IdValues } from "./id-column.ts";
import { TableColumn } from "./table-column.ts";

/** The bits of a key's hash that determine its bucket (SE24). */
const bucketBits = Math.log2(sessionBucketCount);

/** The initial number of slots. Most kinds of most clusters have few rows. */
const firstSlotCount = 16;

/** Slots rehashed in one step: some 3 ms, the longest time a reader waits. */
const stepSlotCount = 1 << 18;

/** Moves the bucket bits to the top, so that the entries of a bucket are adjacent. */
function bucketFirst(hash: number): number {
  return ((hash << (32 - bucketBits)) | (hash >>> bucketBits)) >>> 0;
}

function shiftOf(slotCount: number): number {
  return 32 - Math.log2(slotCount);
}

type Slots = Uint16Array<ArrayBuffer> | Uint32Array<ArrayBuffer>;
type HashColumn = TableColumn<Uint32Array<ArrayBuffer>>;

/** The namespaces and names of rows. */
export interface RowKeys {
  readonly namespaces: { readonly values: IdValues };
  readonly names: { readonly values: IdValues };
}

/**
 * Finds rows by the hash of their key, in some seven bytes a row. Open addressing with linear probing; all keys of one
 * session bucket are adjacent.
 */
export class RowIndex {
  /** The hash of each row's key. */
  readonly hashes: HashColumn;
  /** Rows plus one; 0 = free. */
  readonly #slots: TableColumn<Slots>;
  #shift: number;

  constructor(hashes: HashColumn = new TableColumn(new Uint32Array(0)), slots?: TableColumn<Slots>) {
    this.hashes = hashes;
    this.#slots = slots ?? new TableColumn<Slots>(allocateSlots(firstSlotCount));
    this.#shift = shiftOf(this.#slots.values.length);
  }

  share(): RowIndex {
    return new RowIndex(this.hashes.share(), this.#slots.share());
  }

  /** The bytes of hashes and slots that the next change copies. */
  get sharedBytes(): number {
    return this.hashes.sharedBytes + this.#slots.sharedBytes;
  }

  get sizeBytes(): number {
    return this.hashes.sizeBytes + this.#slots.sizeBytes;
  }

  /** The bytes of the slots for this many rows. */
  slotBytes(count: number): number {
    return slotBytesFor(count, this.#slots.values.length);
  }

  /** The row with this key, or -1. */
  find(keys: RowKeys, hash: number, namespace: number, name: number): number {
    const slots = this.#slots.values;
    const hashes = this.hashes.values;
    const mask = slots.length - 1;
    for (let slot = this.#home(hash); ; slot = (slot + 1) & mask) {
      const row = (slots[slot] ?? 0) - 1;
      if (row === -1) return -1;
      if (hashes[row] === hash && keys.names.values[row] === name && keys.namespaces.values[row] === namespace)
        return row;
    }
  }

  /** Adds the last one of `count` rows. It must not be in the index, and `hashes` has room for it. */
  append(hash: number, count: number): void {
    this.hashes.own();
    this.hashes.values[count - 1] = hash;
    if (isFull(count, this.#slots.values.length)) {
      this.#rehash(count);
      return;
    }
    this.#slots.own();
    this.#place(this.#slots.values, count - 1);
  }

  /** Removes a row. Entries after it move into the gap, so that no probe ends too early. Its hash stays. */
  remove(row: number): void {
    this.#slots.own();
    const slots = this.#slots.values;
    const mask = slots.length - 1;
    let free = this.#slotOf(row);
    for (let next = (free + 1) & mask; (slots[next] ?? 0) !== 0; next = (next + 1) & mask) {
      const home = this.#home(this.hashes.values[(slots[next] ?? 0) - 1] ?? 0);
      // An entry moves into the gap unless its home slot is after the gap.
      const isBehind = free <= next ? free < home && home <= next : free < home || home <= next;
      if (isBehind) continue;
      slots[free] = slots[next] ?? 0;
      free = next;
    }
    slots[free] = 0;
  }

  /** Gives a row another place, whose row was removed. */
  move(from: number, to: number): void {
    this.#slots.own();
    this.#slots.values[this.#slotOf(from)] = to + 1;
    this.hashes.move(from, to);
  }

  /** The rows of one session bucket, in no order. */
  inBucket(bucket: number): number[] {
    const found: number[] = [];
    const slots = this.#slots.values;
    const mask = slots.length - 1;
    const last = this.#home(((0xffff_ffff << bucketBits) | bucket) >>> 0);
    let slot = this.#home(bucket);
    // Entries of a bucket start in its own slots. Displaced entries follow without a gap.
    for (let isPast = false; !(isPast && (slots[slot] ?? 0) === 0); slot = (slot + 1) & mask) {
      const row = (slots[slot] ?? 0) - 1;
      if (row !== -1 && this.bucketOf(row, sessionBucketCount) === bucket) found.push(row);
      if (slot === last) isPast = true;
    }
    return found;
  }

  /** The bucket of a row's key among a power of two of buckets. */
  bucketOf(row: number, bucketCount: number): number {
    return (this.hashes.values[row] ?? 0) & (bucketCount - 1);
  }

  /**
   * Makes hashes and slots this index's own, with room for `capacity` rows. Yields the bytes of each step. No row may be
   * looked up between the steps.
   */
  *ownInSteps(capacity: number): Generator<number, void, undefined> {
    yield* this.hashes.ownInSteps(capacity);
    const old = this.#slots.values;
    const slotCount = slotCountFor(capacity, old.length);
    if (slotCount === old.length) {
      yield* this.#slots.ownInSteps(0);
      return;
    }
    const slots = allocateSlots(slotCount);
    this.#shift = shiftOf(slotCount);
    for (let from = 0; from < old.length; from += stepSlotCount) {
      const end = Math.min(old.length, from + stepSlotCount);
      for (let slot = from; slot < end; slot += 1) if (old[slot] !== 0) this.#place(slots, (old[slot] ?? 0) - 1);
      // Rehashing a slot takes as long as copying two words.
      yield (end - from) * 8;
    }
    this.#slots.replace(slots);
  }

  #home(hash: number): number {
    return bucketFirst(hash) >>> this.#shift;
  }

  #slotOf(row: number): number {
    const slots = this.#slots.values;
    const mask = slots.length - 1;
    let slot = this.#home(this.hashes.values[row] ?? 0);
    while (slots[slot] !== row + 1) slot = (slot + 1) & mask;
    return slot;
  }

  #place(slots: Slots, row: number): void {
    const mask = slots.length - 1;
    let slot = this.#home(this.hashes.values[row] ?? 0);
    while ((slots[slot] ?? 0) !== 0) slot = (slot + 1) & mask;
    slots[slot] = row + 1;
  }

  #rehash(count: number): void {
    const slots = allocateSlots(slotCountFor(count, this.#slots.values.length));
    this.#shift = shiftOf(slots.length);
    for (let row = 0; row < count; row += 1) this.#place(slots, row);
    this.#slots.replace(slots);
  }
}
