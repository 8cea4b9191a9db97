// SPDX-License-Identifier: Apache-2.0
import type { RowContent } from "../../model/rows/row.ts";
import { listText } from "./cell-texts.ts";
import { type PrintedColumn, textColumn } from "./printed-columns.ts";
import { listIn } from "./row-values.ts";

/**
 * A column of a custom resource with the text or list of one column of the row; null without a value. A value that is
 * Istio's default, because the object has none, counts as absent (KI19).
 */
export function customText(name: string, column: string): PrintedColumn {
  return textColumn(name, (row) => (isDefaulted(row, column) ? null : valueText(row, column)));
}

function isDefaulted(row: RowContent, column: string): boolean {
  return listIn(row, "defaulted")?.includes(column) === true;
}

function valueText(row: RowContent, column: string): string | null {
  const value = row.columns.get(column);
  return typeof value === "string" ? value : listText(listIn(row, column));
}
