// SPDX-License-Identifier: Apache-2.0
import type { KindTable } from "../table/kind-table.ts";

/** A table and the rows of it that a user sees. */
export interface TableRows {
  readonly table: KindTable;
  /** In ascending order; undefined for every row. */
  readonly rows: Uint32Array | undefined;
}
