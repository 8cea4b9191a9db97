// SPDX-License-Identifier: Apache-2.0
// Tables are lists of columns, each with the function of its cells, so that every row has one cell for each column.

import type { RowContent } from "../../model/rows/row.ts";
import { isRowTime } from "../../model/rows/row-check.ts";
import { humanAge } from "./human-duration.ts";
import type { RowTableCell, RowTableColumn, RowTableDefinition } from "./row-table-definition.ts";

/** A column with its cells. */
export interface PrintedColumn extends RowTableColumn {
  readonly cell: (row: RowContent, nowMs: number) => RowTableCell;
}

/** The table with these columns. */
export function createRowTable(printed: readonly PrintedColumn[]): RowTableDefinition {
  return {
    columns: printed.map(({ name, type, format, priority }) => ({ name, type, format, priority })),
    cells: (row, nowMs) => printed.map(({ cell }) => cell(row, nowMs)),
  };
}

/** A column of texts. As in kube-apiserver, a cell of it may be a number. */
export function textColumn(name: string, cell: PrintedColumn["cell"]): PrintedColumn {
  return { name, type: "string", format: "", priority: 0, cell };
}

/** A column of integers. */
export function integerColumn(name: string, cell: PrintedColumn["cell"]): PrintedColumn {
  return { ...textColumn(name, cell), type: "integer" };
}

/** A text column that is printed only with `-o wide`. */
export function wideColumn(name: string, cell: PrintedColumn["cell"]): PrintedColumn {
  return { ...textColumn(name, cell), priority: 1 };
}

/** The object's name. */
export const nameColumn: PrintedColumn = { ...textColumn("Name", ({ name }) => name), format: "name" };

/** The object's age, in tables of kinds that are part of Kubernetes. */
export const ageColumn: PrintedColumn = textColumn("Age", ({ createdAt }, nowMs) => humanAge(createdAt, nowMs));

/** The object's age, in tables of custom resources. */
export const customAgeColumn: PrintedColumn = {
  ...ageColumn,
  type: "date",
  cell: ({ createdAt }, nowMs) => (createdAt === 0 ? null : humanAge(createdAt, nowMs)),
};

/** The time of the object's creation, for kinds of Kubernetes without a table of their own. */
export const createdAtColumn: PrintedColumn = {
  ...textColumn("Created At", ({ createdAt }) => timeText(createdAt)),
  type: "date",
};

/** `2026-01-05T10:00:00Z`, as the API writes times. */
function timeText(atMs: number): string | null {
  return atMs === 0 || !isRowTime(atMs) ? null : `${new Date(atMs).toISOString().slice(0, 19)}Z`;
}
