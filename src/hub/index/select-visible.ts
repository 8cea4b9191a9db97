// SPDX-License-Identifier: Apache-2.0
import { createVisibleFilter } from "../../index/scan/visible-rows.ts";
import type { KindTable } from "../../index/table/kind-table.ts";
import type { Visibility } from "../../rbac/visibility.ts";

/** The rows of a table that a visibility shows, in no order. */
export function selectVisible(table: KindTable, visibility: Visibility): Uint32Array {
  const filter = createVisibleFilter(table, visibility);
  if (filter === "none") return new Uint32Array(0);
  const rows = Uint32Array.from({ length: table.count }, (_, row) => row);
  return filter === "all" ? rows : rows.subarray(0, filter(rows, table.count));
}
