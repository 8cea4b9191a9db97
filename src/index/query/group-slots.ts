// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";
import { maxHeldGroups } from "./query-request.ts";

/** The initial number of slots, as a power of two. */
const firstSlotCount = 256;

/** In a key: no value. */
export const noValue = 0xffff_ffff;

/**
 * Groups by keys of up to three value ids, with their counts and the least and greatest number of each. A hash table in
 * typed arrays: no object per group.
 */
export class GroupSlots {
  readonly #width: number;
  #keys: Uint32Array;
  #counts: Float64Array;
  #mins: Float64Array;
  #maxs: Float64Array;
  #count = 0;
  /** Numbers of groups plus one; 0 is free. */
  #slots = new Uint32Array(firstSlotCount);

  constructor(width: number) {
    this.#width = width;
    this.#keys = new Uint32Array((firstSlotCount / 2) * width);
    this.#counts = new Float64Array(firstSlotCount / 2);
    this.#mins = new Float64Array(firstSlotCount / 2);
    this.#maxs = new Float64Array(firstSlotCount / 2);
  }

  get count(): number {
    return this.#count;
  }

  /** Adds a row to the group of a key. `measure` is NaN if the row has no number. Throws TOO_LARGE. */
  add(key: Uint32Array, measure: number): void {
    const group = this.#groupOf(key);
    this.#counts[group] = (this.#counts[group] ?? 0) + 1;
    if (Number.isNaN(measure)) return;
    // NaN, the mark for none, is neither less nor greater.
    if (!((this.#mins[group] ?? 0) <= measure)) this.#mins[group] = measure;
    if (!((this.#maxs[group] ?? 0) >= measure)) this.#maxs[group] = measure;
  }

  keyAt(group: number, field: number): number {
    return this.#keys[group * this.#width + field] ?? noValue;
  }

  countAt(group: number): number {
    return this.#counts[group] ?? 0;
  }

  /** Undefined if no row of the group has a number. */
  rangeAt(group: number): { readonly min: number; readonly max: number } | undefined {
    const [min, max] = [this.#mins[group] ?? Number.NaN, this.#maxs[group] ?? Number.NaN];
    return Number.isNaN(min) ? undefined : { min, max };
  }

  #groupOf(key: Uint32Array): number {
    const mask = this.#slots.length - 1;
    let slot = hashKey(key) & mask;
    for (;;) {
      const group = (this.#slots[slot] ?? 0) - 1;
      if (group < 0) return this.#append(key, slot);
      if (this.#isSame(group, key)) return group;
      slot = (slot + 1) & mask;
    }
  }

  #isSame(group: number, key: Uint32Array): boolean {
    for (let field = 0; field < this.#width; field += 1)
      if (this.#keys[group * this.#width + field] !== key[field]) return false;
    return true;
  }

  #append(key: Uint32Array, slot: number): number {
    if (this.#count === maxHeldGroups)
      throw new FlotillaError(
        "TOO_LARGE",
        `the query has more than ${maxHeldGroups} groups; narrow it by cluster, kind or namespace, or group by fewer fields`,
      );
    const group = this.#count;
    this.#count += 1;
    this.#slots[slot] = group + 1;
    this.#keys.set(key.subarray(0, this.#width), group * this.#width);
    this.#mins[group] = Number.NaN;
    this.#maxs[group] = Number.NaN;
    if (this.#count * 2 >= this.#slots.length) this.#grow();
    return group;
  }

  #grow(): void {
    const slotCount = this.#slots.length * 2;
    this.#keys = grown(this.#keys, new Uint32Array((slotCount / 2) * this.#width));
    this.#counts = grown(this.#counts, new Float64Array(slotCount / 2));
    this.#mins = grown(this.#mins, new Float64Array(slotCount / 2));
    this.#maxs = grown(this.#maxs, new Float64Array(slotCount / 2));
    this.#slots = new Uint32Array(slotCount);
    for (let group = 0; group < this.#count; group += 1) {
      let slot = hashKey(this.#keys.subarray(group * this.#width, (group + 1) * this.#width)) & (slotCount - 1);
      while (this.#slots[slot] !== 0) slot = (slot + 1) & (slotCount - 1);
      this.#slots[slot] = group + 1;
    }
  }
}

function grown<Values extends Uint32Array | Float64Array>(from: Values, to: Values): Values {
  to.set(from);
  return to;
}

function hashKey(key: Uint32Array): number {
  let hash = key.length;
  for (let at = 0; at < key.length; at += 1) {
    hash = Math.imul(hash ^ (key[at] ?? 0), 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  return hash >>> 0;
}
