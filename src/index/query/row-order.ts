// SPDX-License-Identifier: Apache-2.0
// The order of a query over the rows of one table: between two rows, and between a row and a position.
import type { TableView } from "./field-source.ts";
import type { QueryPosition } from "./query-request.ts";
import type { SortColumn } from "./sort-column.ts";
import { comparePlace, compareWithin, createKeyComparer } from "./table-keys.ts";

/** Compares rows by the fields of the order, opened in the table, then by key. Valid until the next fold. */
export function createRowOrder({ table }: TableView, columns: readonly SortColumn[]): (a: number, b: number) => number {
  const byKey = createKeyComparer(table);
  return (a, b) => {
    for (const column of columns) {
      const order = column.compare(a, b);
      if (order !== 0) return order;
    }
    return byKey(a, b);
  };
}

/** Whether rows of one table come after a position. Valid until the next fold. */
export interface PositionTest {
  isAfter(row: number): boolean;
  /** Present if the answer is the same for all rows. */
  readonly always?: boolean;
}

/** `columns` are the fields of the order, opened in the table. */
export function createPositionTest(
  view: TableView,
  columns: readonly SortColumn[],
  { values, key }: QueryPosition,
): PositionTest {
  const comparers = columns.map((column, at) => column.createComparer(values[at]));
  const place = comparePlace(view, key);
  const isAfter = (row: number): boolean => {
    for (const compare of comparers) {
      const order = compare(row);
      if (order !== 0) return order > 0;
    }
    return place === 0 ? compareWithin(view, row, key) > 0 : place > 0;
  };
  const always = answerForAll(columns, comparers, place);
  return always === undefined ? { isAfter } : { isAfter, always };
}

/** The answer if leading columns of one value decide, or such columns and the place of the table. */
function answerForAll(
  columns: readonly SortColumn[],
  comparers: readonly ((row: number) => number)[],
  place: number,
): boolean | undefined {
  for (const [at, { constant }] of columns.entries()) {
    if (constant === undefined) return undefined;
    const order = comparers[at]?.(0) ?? 0;
    if (order !== 0) return order > 0;
  }
  return place === 0 ? undefined : place > 0;
}
