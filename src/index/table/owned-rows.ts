// SPDX-License-Identifier: Apache-2.0
import type { IdValues } from "./id-column.ts";

/** The rows of a table by owner. Built from the owners of all rows at one moment. */
export class OwnedRows {
  /** Rows, by owner. */
  readonly #rows: Uint32Array;
  /** The rows of owner `number` span `ends[number - 1]` to `ends[number]`. */
  readonly #ends: Uint32Array;

  constructor(owners: IdValues, count: number, ownerCount: number) {
    const ends = new Uint32Array(ownerCount + 1);
    for (let row = 0; row < count; row += 1) ends[(owners[row] ?? 0) + 1] = (ends[(owners[row] ?? 0) + 1] ?? 0) + 1;
    for (let owner = 1; owner <= ownerCount; owner += 1) ends[owner] = (ends[owner] ?? 0) + (ends[owner - 1] ?? 0);
    const rows = new Uint32Array(count);
    // `ends[owner]` is the place of the owner's next row, and its end when all are placed.
    for (let row = 0; row < count; row += 1) {
      const owner = owners[row] ?? 0;
      rows[ends[owner] ?? 0] = row;
      ends[owner] = (ends[owner] ?? 0) + 1;
    }
    this.#rows = rows;
    this.#ends = ends;
  }

  get sizeBytes(): number {
    return this.#rows.byteLength + this.#ends.byteLength;
  }

  /** The rows of an owner, by its number in the cluster's dictionary, ascending. */
  of(owner: number): Uint32Array {
    return this.#rows.subarray(owner === 0 ? 0 : this.#ends[owner - 1], this.#ends[owner]);
  }
}
