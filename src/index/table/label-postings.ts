// SPDX-License-Identifier: Apache-2.0
import type { GroupDictionary } from "./group-dictionary.ts";
import { grownLength } from "./growing-store.ts";
import { allocateIds, type IdValues } from "./id-column.ts";

/** The limit on keys whose values are kept. A cluster with 5,000 label sets takes 40 KB for each. */
const maxKeyCount = 32;

/** Sets that came after the last sorting are looked at one by one. They are sorted too when they are more than that. */
const maxUnsortedShare = 1 / 8;

/** The values of one key, by label set. */
interface KeyValues {
  values: IdValues;
  /** The number of sets that were read. */
  setCount: number;
  /** The sets below `sortedCount` that have the key, by value. */
  sorted: Uint32Array;
  sortedCount: number;
}

/**
 * The values of label and annotation keys by set. A query on a label tests each set once, never the labels of each row.
 * The values of a key are collected when a query first asks for it, so that folding does not pay for it.
 */
export class LabelPostings {
  readonly #sets: GroupDictionary;
  /** By key, the least recently used first. */
  readonly #byKey = new Map<number, KeyValues>();

  constructor(sets: GroupDictionary) {
    this.#sets = sets;
  }

  get sizeBytes(): number {
    let bytes = 0;
    for (const { values, sorted } of this.#byKey.values()) bytes += values.byteLength + sorted.byteLength;
    return bytes;
  }

  /**
   * For each set the text id of the key's value plus one; 0 if the set lacks the key. Borrowed until the next fold. The
   * array may be longer than there are sets.
   */
  valuesOf(keyId: number): IdValues {
    return this.#open(keyId).values;
  }

  /**
   * Writes the sets that have the key with this value to `target`, ascending, and returns how many they are. `target`
   * has room for all sets.
   */
  setsOf(keyId: number, valueId: number, target: Uint32Array): number {
    const { values, sorted, sortedCount, setCount } = this.#openSorted(keyId);
    const wanted = valueId + 1;
    const from = lowerBound(sorted, values, wanted);
    const end = lowerBound(sorted, values, wanted + 1);
    target.set(sorted.subarray(from, end));
    let count = end - from;
    for (let set = sortedCount; set < setCount; set += 1) {
      if (values[set] !== wanted) continue;
      target[count] = set;
      count += 1;
    }
    return count;
  }

  /** An upper bound of the number of sets that have the key with this value, without looking at them. */
  mostSetsOf(keyId: number, valueId: number): number {
    const { values, sorted, sortedCount, setCount } = this.#openSorted(keyId);
    const wanted = valueId + 1;
    return lowerBound(sorted, values, wanted + 1) - lowerBound(sorted, values, wanted) + setCount - sortedCount;
  }

  #openSorted(keyId: number): KeyValues {
    const known = this.#open(keyId);
    if (known.setCount - known.sortedCount > known.setCount * maxUnsortedShare) sortSets(known);
    return known;
  }

  #open(keyId: number): KeyValues {
    const known = this.#byKey.get(keyId) ?? {
      values: new Uint8Array(0),
      setCount: 1,
      sorted: new Uint32Array(0),
      sortedCount: 1,
    };
    this.#byKey.delete(keyId);
    this.#byKey.set(keyId, known);
    const [oldest] = this.#byKey.keys();
    if (this.#byKey.size > maxKeyCount && oldest !== undefined) this.#byKey.delete(oldest);
    if (known.setCount < this.#sets.count || known.values.length === 0) this.#addNew(known, keyId);
    return known;
  }

  /** Call it after sets from number `count` on were removed. */
  truncate(count: number): void {
    for (const [keyId, { setCount }] of this.#byKey) if (setCount > count) this.#byKey.delete(keyId);
  }

  #addNew(known: KeyValues, keyId: number): void {
    const { ids, count } = this.#sets;
    let { values } = known;
    for (let set = known.setCount; set < count; set += 1) {
      const end = this.#sets.endOf(set);
      let at = this.#sets.startOf(set);
      while (at < end && ids[at] !== keyId) at += 2;
      if (at < end) values = setValue(values, set, (ids[at + 1] ?? 0) + 1, count);
    }
    known.values = values.length < count ? copyOf(values, grownLength(values.length, count), 0) : values;
    known.setCount = count;
  }
}

function setValue(values: IdValues, set: number, value: number, count: number): IdValues {
  const isWide = value < 2 ** (values.BYTES_PER_ELEMENT * 8);
  const target = isWide && set < values.length ? values : copyOf(values, Math.max(values.length, count), value);
  target[set] = value;
  return target;
}

function copyOf(values: IdValues, length: number, id: number): IdValues {
  const most = Math.max(id, 2 ** (values.BYTES_PER_ELEMENT * 8) - 1);
  const copy = allocateIds(length, most);
  copy.set(values);
  return copy;
}

/** Sorts by value and set: both are one number of at most 53 bits. */
function sortSets(known: KeyValues): void {
  const { values, setCount } = known;
  const places = new Float64Array(setCount);
  let count = 0;
  for (let set = 1; set < setCount; set += 1) {
    places[count] = (values[set] ?? 0) * setCount + set;
    count += values[set] === 0 ? 0 : 1;
  }
  known.sorted = Uint32Array.from(places.subarray(0, count).sort(), (place) => place % setCount);
  known.sortedCount = setCount;
}

/** The place of the first set with this value or a greater one. */
function lowerBound(sorted: Uint32Array, values: IdValues, wanted: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((values[sorted[middle] ?? 0] ?? 0) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}
