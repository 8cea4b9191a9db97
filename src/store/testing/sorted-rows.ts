// SPDX-License-Identifier: Apache-2.0
import { compareUtf8 } from "../../model/text.ts";
import type { EngineRow } from "../store-engine.ts";
import { firstUnder, isUnder } from "../table.ts";

/**
 * Rows by key, iterated in key order. Adding or removing a key moves the keys after it; reading and replacing do not.
 */
export class SortedRows {
  readonly #byKey: Map<string, EngineRow>;
  readonly #keys: string[];

  constructor(byKey = new Map<string, EngineRow>(), keys: string[] = []) {
    this.#byKey = byKey;
    this.#keys = keys;
  }

  get(key: string): EngineRow | undefined {
    return this.#byKey.get(key);
  }

  set(row: EngineRow): void {
    if (!this.#byKey.has(row.key)) this.#keys.splice(this.#lowerBound(row.key), 0, row.key);
    this.#byKey.set(row.key, row);
  }

  delete(key: string): void {
    if (this.#byKey.delete(key)) this.#keys.splice(this.#lowerBound(key), 1);
  }

  copy(): SortedRows {
    return new SortedRows(new Map(this.#byKey), [...this.#keys]);
  }

  /** The rows under `prefix`, after `after` if given. Writes are not allowed during the iteration. */
  *from(prefix: string, after?: string): Generator<EngineRow> {
    let index = this.#lowerBound(after ?? firstUnder(prefix));
    if (after !== undefined && this.#keys[index] === after) index += 1;
    for (; index < this.#keys.length; index += 1) {
      const row = this.#byKey.get(this.#keys[index] ?? "");
      if (row === undefined || !isUnder(prefix, row.key)) return;
      yield row;
    }
  }

  #lowerBound(key: string): number {
    let low = 0;
    let high = this.#keys.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareUtf8(this.#keys[middle] ?? "", key) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
