// SPDX-License-Identifier: Apache-2.0
// Reads columns of rows. A column that is absent or of another type counts as absent: an agent of another version may
// have written the row.
import type { RowContent } from "../../model/rows/row.ts";
import { isObject } from "../fields.ts";

/** The text of a column; "" if absent. */
export function textIn({ columns }: RowContent, name: string): string {
  const value = columns.get(name);
  return typeof value === "string" ? value : "";
}

/** The number of a column, or undefined. */
export function numberIn({ columns }: RowContent, name: string): number | undefined {
  const value = columns.get(name);
  return typeof value === "number" ? value : undefined;
}

/** The number of a column; 0 if absent. */
export function countIn(row: RowContent, name: string): number {
  return numberIn(row, name) ?? 0;
}

/** True if the column is true. */
export function isTrueIn({ columns }: RowContent, name: string): boolean {
  return columns.get(name) === true;
}

/** The texts of a list column; undefined if absent. */
export function listIn({ columns }: RowContent, name: string): readonly string[] | undefined {
  const value = columns.get(name);
  return typeof value === "object" ? value : undefined;
}

/** The elements of a list of structured values (KI7). Texts that are not the JSON of an object are left out. */
export function partsIn(row: RowContent, name: string): readonly Readonly<Record<string, unknown>>[] {
  return (listIn(row, name) ?? []).flatMap((text) => {
    const part = parseJson(text);
    return isObject(part) ? [part] : [];
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (reason) {
    if (reason instanceof SyntaxError) return undefined;
    throw reason;
  }
}
