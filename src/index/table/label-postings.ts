// SPDX-License-Identifier: Apache-2.0
import type { GroupDictionary } from "./group-dictionary.ts";

/**
 * The label sets of a cluster by key and value. A query on a label reads the sets that match and never the others. Sets
 * are added when a query first asks after they came, so that folding does not pay for it.
 */
export class LabelPostings {
  readonly #sets: GroupDictionary;
  /** Numbers of sets by key, then by value. */
  readonly #byKey = new Map<number, Map<number, number[]>>();
  #addedCount = 1;

  constructor(sets: GroupDictionary) {
    this.#sets = sets;
  }

  /** The values that a key has in any set, with the numbers of the sets. */
  valuesOf(keyId: number): ReadonlyMap<number, readonly number[]> {
    this.#addNew();
    return this.#byKey.get(keyId) ?? new Map();
  }

  #addNew(): void {
    for (; this.#addedCount < this.#sets.count; this.#addedCount += 1) {
      const pairs = this.#sets.get(this.#addedCount);
      for (let at = 0; at < pairs.length; at += 2) this.#add(pairs[at] ?? 0, pairs[at + 1] ?? 0, this.#addedCount);
    }
  }

  #add(keyId: number, valueId: number, set: number): void {
    const values = this.#byKey.get(keyId) ?? new Map<number, number[]>();
    this.#byKey.set(keyId, values);
    const sets = values.get(valueId);
    if (sets === undefined) values.set(valueId, [set]);
    else sets.push(set);
  }
}
