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
  sorted: SortedSets;
}

/** The sets below a number that have a key, by value. */
interface SortedSets {
  /** Every set that has the key is below this number, or came later. */
  readonly setCount: number;
  /** The values that sets have, ascending: elements of `KeyValues.values`. */
  readonly values: Uint32Array;
  /** The sets of the value at a place are those from `starts[place]` to `starts[place + 1]`, ascending. */
  readonly starts: Uint32Array;
  readonly sets: Uint32Array;
}

const noSets: SortedSets = {
  setCount: 1,
  values: new Uint32Array(0),
  starts: new Uint32Array(1),
  sets: new Uint32Array(0),
};

/** The sets that may have a value of a key. */
export interface PostedSets {
  /** All of them have it. Borrowed until the next call. */
  readonly sets: Uint32Array;
  /** Sets from this number to `end` may have it. */
  readonly from: number;
  readonly end: number;
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
    for (const { values, sorted } of this.#byKey.values())
      bytes += values.byteLength + sorted.values.byteLength + sorted.starts.byteLength + sorted.sets.byteLength;
    return bytes;
  }

  /**
   * For each set the text id of the key's value plus one; 0 if the set lacks the key. Borrowed until the next fold. The
   * array may be longer than there are sets.
   */
  valuesOf(keyId: number): IdValues {
    return this.#open(keyId).values;
  }

  /** The sets that have the key with this value, ascending, and the later ones that may have it. */
  setsOf(keyId: number, valueId: number): PostedSets {
    const known = this.#open(keyId);
    if (known.setCount - known.sorted.setCount > known.setCount * maxUnsortedShare) known.sorted = sortSets(known);
    const { values, starts, sets, setCount } = known.sorted;
    const place = lowerBound(values, valueId + 1);
    const isThere = values[place] === valueId + 1;
    return {
      sets: isThere ? sets.subarray(starts[place], starts[place + 1]) : noSets.sets,
      from: setCount,
      end: known.setCount,
    };
  }

  #open(keyId: number): KeyValues {
    const known = this.#byKey.get(keyId) ?? { values: new Uint8Array(0), setCount: 1, sorted: noSets };
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
function sortSets({ values, setCount }: KeyValues): SortedSets {
  const places = new Float64Array(setCount);
  let count = 0;
  for (let set = 1; set < setCount; set += 1) {
    places[count] = (values[set] ?? 0) * setCount + set;
    count += values[set] === 0 ? 0 : 1;
  }
  const sets = Uint32Array.from(places.subarray(0, count).sort(), (place) => place % setCount);
  const distinct: number[] = [];
  const starts: number[] = [];
  for (const [at, set] of sets.entries()) {
    const value = values[set] ?? 0;
    if (value === distinct.at(-1)) continue;
    distinct.push(value);
    starts.push(at);
  }
  return { setCount, values: Uint32Array.from(distinct), starts: Uint32Array.from([...starts, count]), sets };
}

/** The place of the first value that is not below the wanted one. */
function lowerBound(values: Uint32Array, wanted: number): number {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((values[middle] ?? 0) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}
