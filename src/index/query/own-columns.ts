// SPDX-License-Identifier: Apache-2.0
// The only access of queries to the own columns of a kind: their encoding is the table's business.
import type { ColumnType } from "../../model/rows/row.ts";
import type { KindTable } from "../table/kind-table.ts";
import type { CodeArray, FieldSource, NumbersOfRows } from "./field-source.ts";

/** A column of a kind: numbers by row, or codes by row. */
export type OwnColumn =
  | {
      readonly type: "number";
      readonly numbers: NumbersOfRows;
    }
  | {
      readonly type: "text" | "list" | "boolean";
      /** The text id or list number plus one, 1 for false and 2 for true; 0 for none. */
      readonly codes: CodeArray;
    };

const codeTypes: readonly (readonly [type: ColumnType, codes: "text" | "list" | "boolean"])[] = [
  ["string", "text"],
  ["stringList", "list"],
  ["boolean", "boolean"],
];

/** The columns of this name, one for each type that rows of the kind have it with. A row has a value in at most one. */
export function openOwnColumns(table: KindTable, name: string): readonly OwnColumn[] {
  const columns: OwnColumn[] = [];
  for (const type of ["integer", "float"] as const) {
    const column = table.column(name, type);
    if (column !== undefined && "numbers" in column) columns.push({ type: "number", numbers: column.numbers });
  }
  for (const [type, codes] of codeTypes) {
    const column = table.column(name, type);
    if (column !== undefined && "ids" in column) columns.push({ type: codes, codes: column.ids.values });
  }
  return columns;
}

/** The codes of a list column; undefined if no row of the table has it. */
export function openListCodes(table: KindTable, name: string): CodeArray | undefined {
  const column = openOwnColumns(table, name).find(({ type }) => type === "list");
  return column === undefined || column.type === "number" ? undefined : column.codes;
}

/** Numbers in the form of the table's columns. */
export function fromNumberColumn(array: NumbersOfRows): Extract<FieldSource, { readonly kind: "numbers" }> {
  const { values, unit } = array;
  if (unit === undefined) return { kind: "numbers", array, at: (row) => values[row] ?? Number.NaN };
  return {
    kind: "numbers",
    array,
    at: (row) => {
      const stored = values[row] ?? 0;
      return stored === 0 ? Number.NaN : (stored - 1) * unit;
    },
  };
}
