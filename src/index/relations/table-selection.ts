// SPDX-License-Identifier: Apache-2.0

/** The rows of one table that a query selects, valid until the next fold into the cluster. */
export type TableSelection = "all" | "none" | ((row: number) => boolean);

/** The rows that a query selects of a resource in a cluster. Only visible rows are looked up in it. */
export type SelectionOf = (cluster: string, resource: string) => TableSelection;

/**
 * The selection of a filter over the first `rowCount` rows of a table. The filter keeps the matching rows among the
 * first ones of an array and returns how many they are.
 */
export function selectRows(
  filter: "all" | "none" | ((rows: Uint32Array, count: number) => number),
  rowCount: number,
): TableSelection {
  if (filter === "all" || filter === "none") return filter;
  const rows = Uint32Array.from({ length: rowCount }, (_, row) => row);
  const isSelected = new Uint8Array(rowCount);
  for (const row of rows.subarray(0, filter(rows, rowCount))) isSelected[row] = 1;
  return (row) => isSelected[row] === 1;
}
