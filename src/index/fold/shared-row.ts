// SPDX-License-Identifier: Apache-2.0
import type { ColumnValue, Row } from "../../model/rows/row.ts";

/** The object of a row with its short texts, a text besides its characters, and an entry of a map besides its texts. */
const [rowBytes, textBytes, entryBytes] = [400, 24, 40];

/** A row as a value, and an estimate of the memory that it takes besides what it shares. */
export interface SharedRow {
  readonly row: Row;
  readonly bytes: number;
}

/** The same row with the maps and texts of an earlier one where they are equal: most changes touch few fields. */
export function shareRow(row: Row, earlier: Row | undefined): SharedRow {
  let bytes = rowBytes + row.message.length;
  const share = (map: ReadonlyMap<string, string>, old: ReadonlyMap<string, string> | undefined): typeof map => {
    if (old !== undefined && isSameMap(map, old)) return old;
    for (const [key, value] of map) bytes += entryBytes + key.length + value.length + 2 * textBytes;
    return map;
  };
  const labels = share(row.labels, earlier?.labels);
  const annotations = share(row.annotations, earlier?.annotations);
  const columns = new Map<string, ColumnValue>();
  for (const [name, value] of row.columns) {
    const old = earlier?.columns.get(name);
    const isSame = old !== undefined && isSameValue(value, old);
    columns.set(name, isSame ? old : value);
    bytes += entryBytes + (isSame ? 0 : bytesOf(value));
  }
  return { row: { ...row, labels, annotations, columns }, bytes };
}

function isSameMap(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean {
  if (a.size !== b.size) return false;
  for (const [key, value] of a) if (b.get(key) !== value) return false;
  return true;
}

function isSameValue(a: ColumnValue, b: ColumnValue): boolean {
  if (typeof a !== "object" || typeof b !== "object") return a === b;
  return a.length === b.length && a.every((text, at) => text === b[at]);
}

function bytesOf(value: ColumnValue): number {
  if (typeof value === "string") return textBytes + value.length;
  return typeof value === "object" ? value.reduce((sum, text) => sum + textBytes + text.length, textBytes) : 0;
}
