// SPDX-License-Identifier: Apache-2.0
import type { ColumnValue } from "../../model/rows/row.ts";
import { type Columns, type KindColumn, setColumn } from "../kind.ts";

/** Names the columns that hold Istio's documented default because the object does not set them. */
export const defaultedColumn: KindColumn = { name: "defaulted", type: "stringList" };

/**
 * Sets each column to its own value, else to its default, and lists the defaulted columns in `defaulted`. As in Istio,
 * an empty list counts as not set.
 */
export function setWithDefaults(
  columns: Columns,
  values: Readonly<Record<string, readonly [own: ColumnValue | undefined, fallback: ColumnValue]>>,
): void {
  const defaulted: string[] = [];
  for (const [name, [own, fallback]] of Object.entries(values)) {
    const isAbsent = own === undefined || (Array.isArray(own) && own.length === 0);
    if (isAbsent) defaulted.push(name);
    columns.set(name, isAbsent ? fallback : own);
  }
  setColumn(columns, defaultedColumn.name, defaulted);
}
