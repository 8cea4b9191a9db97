// SPDX-License-Identifier: Apache-2.0
// Columns of built-in kinds. Descriptions are empty: kube-apiserver's come from its documentation, and no client
// depends on them.
import type { Json, JsonObject } from "../json/json.ts";
import type { Column, Printer } from "../resources/printer.ts";

export const nameColumn: Column = { ...textColumn("Name"), format: "name" };
export const ageColumn: Column = textColumn("Age");

export function textColumn(name: string): Column {
  return { name, type: "string", format: "", description: "", priority: 0 };
}

export function integerColumn(name: string): Column {
  return { ...textColumn(name), type: "integer" };
}

export function booleanColumn(name: string): Column {
  return { ...textColumn(name), type: "boolean" };
}

/** A text column for `-o wide` only. */
export function wideColumn(name: string): Column {
  return { ...textColumn(name), priority: 1 };
}

/** A printer whose rows have cells only, one for each column. */
export function printCells(
  columns: readonly Column[],
  cells: (object: JsonObject, nowMs: number) => readonly Json[],
): Printer {
  return { columns, row: (object, nowMs) => ({ cells: cells(object, nowMs) }) };
}
