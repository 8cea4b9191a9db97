// SPDX-License-Identifier: Apache-2.0
import { isNamespace, isObjectName } from "./object-key.ts";
import type { RowContent } from "./row.ts";

/** What keeps this content from being a row, as the end of a sentence; undefined when nothing does (CO63). Size is checked where bytes are made. */
export function faultOfRow(row: RowContent): string | undefined {
  if (!isNamespace(row.namespace)) return "has a namespace that is not a DNS label";
  if (!isObjectName(row.name)) return "has a name that cannot stand in a path";
  if (!Number.isSafeInteger(row.generation)) return "has a generation that is not a safe integer";
  if (!Number.isSafeInteger(row.createdAt)) return "has a createdAt that is not a safe integer";
  if (row.deletedAt !== undefined && !Number.isSafeInteger(row.deletedAt))
    return "has a deletedAt that is not a safe integer";
  for (const value of row.columns.values())
    if (typeof value === "number" && !Number.isFinite(value)) return "has a column that is not a finite number";
  return undefined;
}
