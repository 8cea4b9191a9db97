// SPDX-License-Identifier: Apache-2.0
import { assert } from "../../base/assert.ts";

/** Bits of a slot's flags. */
export const slotFlags = {
  /** The cluster has the object. */
  row: 1,
  /** The hub holds a row of this key, by what was sent. */
  sent: 2,
  /** The running list contained it. */
  seen: 4,
} as const;

/** Initial number of slots: enough for a small cluster. */
const firstCapacity = 1_024;

/** Marks an empty index entry. */
const emptyEntry = 0xffff_ffff;

/** Returns whether a slot has the key that is searched for. */
export type HasKey = (slot: number) => boolean;

function grown<Values extends { readonly length: number; set(from: Values): void }>(
  values: Values,
  create: (length: number) => Values,
): Values {
  const larger = create(values.length * 2);
  larger.set(values);
  return larger;
}

/**
 * The row table's data of each key besides its bytes, one slot per key, in typed arrays: some 50 bytes a slot. Slots
 * are found by the hash of their key and reused once freed. Grows by doubling and never shrinks.
 */
export class RowSlots {
  hashes = new BigUint64Array(firstCapacity);
  sentHashes = new BigUint64Array(firstCapacity);
  keyHashes = new Uint32Array(firstCapacity);
  /** Bytes of the record. */
  sizes = new Uint32Array(firstCapacity);
  kinds = new Uint16Array(firstCapacity);
  flags = new Uint8Array(firstCapacity);
  /** Number of unacknowledged flushes that refer to the slot. It is freed only at 0. */
  pins = new Uint8Array(firstCapacity);
  /** Open addressing with linear probing; at most half full. */
  #index = new Uint32Array(firstCapacity * 2).fill(emptyEntry);
  readonly #free: number[] = [];
  #end = 0;

  /** One more than the highest slot ever used. */
  get end(): number {
    return this.#end;
  }

  /** Number of slots in use. */
  get count(): number {
    return this.#end - this.#free.length;
  }

  /** Bytes of the arrays. */
  get heldBytes(): number {
    const { hashes, sentHashes, keyHashes, sizes, kinds, flags, pins } = this;
    const arrays = [hashes, sentHashes, keyHashes, sizes, kinds, flags, pins, this.#index];
    return arrays.reduce((sum, array) => sum + array.byteLength, 0);
  }

  /** The slot of a key; undefined if it has none. */
  find(kind: number, keyHash: number, hasKey: HasKey): number | undefined {
    const mask = this.#index.length - 1;
    for (let at = home(kind, keyHash) & mask; ; at = (at + 1) & mask) {
      const slot = this.#index[at] ?? emptyEntry;
      if (slot === emptyEntry) return undefined;
      if (this.keyHashes[slot] === keyHash && this.kinds[slot] === kind && hasKey(slot)) return slot;
    }
  }

  /** Allocates an empty slot for a key that has none. */
  take(kind: number, keyHash: number): number {
    const slot = this.#free.pop() ?? this.#end;
    if (slot === this.#end) {
      this.#end += 1;
      if (this.#end > this.kinds.length) this.#grow();
    }
    this.kinds[slot] = kind;
    this.keyHashes[slot] = keyHash;
    this.flags[slot] = 0;
    this.pins[slot] = 0;
    this.#enter(slot);
    return slot;
  }

  /** Frees a slot. */
  free(slot: number): void {
    assert(this.pins[slot] === 0, "a slot that a flush names is not freed");
    this.flags[slot] = 0;
    this.#leave(slot);
    this.#free.push(slot);
  }

  #homeOf(slot: number): number {
    return home(this.kinds[slot] ?? 0, this.keyHashes[slot] ?? 0) & (this.#index.length - 1);
  }

  #enter(slot: number): void {
    const mask = this.#index.length - 1;
    let at = this.#homeOf(slot);
    while (this.#index[at] !== emptyEntry) at = (at + 1) & mask;
    this.#index[at] = slot;
  }

  /** Later entries of the probe sequence move up, so that no search stops at the gap before it reaches them. */
  #leave(slot: number): void {
    const mask = this.#index.length - 1;
    let gap = this.#homeOf(slot);
    while (this.#index[gap] !== slot) gap = (gap + 1) & mask;
    for (let at = (gap + 1) & mask; ; at = (at + 1) & mask) {
      const other = this.#index[at] ?? emptyEntry;
      if (other === emptyEntry) break;
      const distance = (at - this.#homeOf(other)) & mask;
      if (distance < ((at - gap) & mask)) continue;
      this.#index[gap] = other;
      gap = at;
    }
    this.#index[gap] = emptyEntry;
  }

  #grow(): void {
    this.hashes = grown(this.hashes, (length) => new BigUint64Array(length));
    this.sentHashes = grown(this.sentHashes, (length) => new BigUint64Array(length));
    this.keyHashes = grown(this.keyHashes, (length) => new Uint32Array(length));
    this.sizes = grown(this.sizes, (length) => new Uint32Array(length));
    this.kinds = grown(this.kinds, (length) => new Uint16Array(length));
    this.flags = grown(this.flags, (length) => new Uint8Array(length));
    this.pins = grown(this.pins, (length) => new Uint8Array(length));
    this.#index = new Uint32Array(this.kinds.length * 2).fill(emptyEntry);
    // No slot is free when the table grows, and the newest one is not in the index yet.
    for (let slot = 0; slot < this.#end - 1; slot += 1) this.#enter(slot);
  }
}

/**
 * Start of the probe sequence. The low bits of a key's hash are its bucket; the kind separates equal names of two
 * kinds.
 */
function home(kind: number, keyHash: number): number {
  return Math.imul(keyHash ^ Math.imul(kind, 0x9e37_79b1), 0x85eb_ca6b) >>> 7;
}
