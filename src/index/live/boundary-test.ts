// SPDX-License-Identifier: Apache-2.0
import type { TableView } from "../query/field-source.ts";
import type { QueryPosition } from "../query/query-request.ts";
import type { SortColumn } from "../query/sort-column.ts";
import { comparePlace, compareWithin } from "../query/table-keys.ts";

/** Whether rows of one table come behind a position. Valid until the next fold. */
export interface BoundaryTest {
  isBehind(row: number): boolean;
  /** Present if the answer is the same for all rows. */
  readonly always?: boolean;
}

/** `columns` are the fields of the order, opened in the table. */
export function createBoundaryTest(
  view: TableView,
  columns: readonly SortColumn[],
  { values, key }: QueryPosition,
): BoundaryTest {
  const comparers = columns.map((column, at) => column.createComparer(values[at]));
  const place = comparePlace(view, key);
  const isBehind = (row: number): boolean => {
    for (const compare of comparers) {
      const order = compare(row);
      if (order !== 0) return order > 0;
    }
    return place === 0 ? compareWithin(view, row, key) > 0 : place > 0;
  };
  const always = answerForAll(columns, comparers, place);
  return always === undefined ? { isBehind } : { isBehind, always };
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
