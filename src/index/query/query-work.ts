// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";
import type { QueryBudget } from "./query-request.ts";

/** Rows looked at before a query yields: about 2 ms with four facets. */
export const defaultSliceRows = 200_000;

/** What opening a table costs, as a number of rows. */
const rowsPerTable = 64;

/** Counts the work of one query: slices by what was really done, the budget by visible rows alone (QL15). */
export class QueryWork {
  readonly #budget: QueryBudget | undefined;
  readonly #maxSliceRows: number;
  #sliceRows = 0;
  #readRows = 0;
  #sliceCount = 1;

  constructor(budget: QueryBudget | undefined, maxSliceRows: number) {
    this.#budget = budget;
    this.#maxSliceRows = maxSliceRows;
  }

  get sliceCount(): number {
    return this.#sliceCount;
  }

  /** The visible rows that were read so far. */
  get readRows(): number {
    return this.#readRows;
  }

  get isSliceFull(): boolean {
    return this.#sliceRows >= this.#maxSliceRows;
  }

  /** Whether so many rows can be read in one step. A slice may be longer than planned by as much again. */
  canReadAtOnce(rowCount: number): boolean {
    return rowCount <= this.#maxSliceRows * 2;
  }

  /** Adds rows that were looked at, visible or not. */
  touch(rowCount: number): void {
    this.#sliceRows += rowCount + rowsPerTable;
  }

  /** Adds visible rows to the budget. Throws TOO_LARGE above it. */
  read(visibleCount: number): void {
    this.#readRows += visibleCount;
    if (this.#budget !== undefined && this.#readRows > this.#budget.maxRows)
      throw new FlotillaError(
        "TOO_LARGE",
        `the query reads more than ${this.#budget.maxRows} rows; narrow it by cluster, kind or namespace`,
      );
  }

  /** Throws DEADLINE_EXCEEDED after the deadline. */
  checkDeadline(): void {
    if (this.#budget?.isOver() === true)
      throw new FlotillaError(
        "DEADLINE_EXCEEDED",
        "the query did not end before its deadline; narrow it by cluster, kind or namespace",
      );
  }

  startSlice(): void {
    this.#sliceRows = 0;
    this.#sliceCount += 1;
    this.checkDeadline();
  }
}
