// SPDX-License-Identifier: Apache-2.0
import type { GroupDictionary } from "./group-dictionary.ts";
import { grownLength } from "./growing-store.ts";
import { allocateIds, type IdValues } from "./id-column.ts";

/** The limit on keys whose values are kept. A cluster with 5,000 label sets takes 20 KB for each. */
const maxKeyCount = 32;

/** The values of one key, by label set. */
interface KeyValues {
  values: IdValues;
  /** The number of sets that were read. */
  setCount: number;
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
    for (const { values } of this.#byKey.values()) bytes += values.byteLength;
    return bytes;
  }

  /**
   * For each set the text id of the key's value plus one; 0 if the set lacks the key. Borrowed until the next fold. The
   * array may be longer than there are sets.
   */
  valuesOf(keyId: number): IdValues {
    const known = this.#byKey.get(keyId) ?? { values: new Uint8Array(0), setCount: 1 };
    this.#byKey.delete(keyId);
    this.#byKey.set(keyId, known);
    const [oldest] = this.#byKey.keys();
    if (this.#byKey.size > maxKeyCount && oldest !== undefined) this.#byKey.delete(oldest);
    if (known.setCount < this.#sets.count || known.values.length === 0) this.#addNew(known, keyId);
    return known.values;
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
