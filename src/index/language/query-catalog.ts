// SPDX-License-Identifier: Apache-2.0
import type { ColumnType } from "../../model/rows/row.ts";

/**
 * The kinds and columns that a query may name. They are those of rows that the user may see: a name that only others
 * know is unknown (L17).
 */
export interface QueryCatalog {
  /** The texts of resource ids for a kind as kubectl names it, in any cluster; empty for an unknown one. */
  findKind(name: string): readonly string[];
  /** The names for suggestions. */
  readonly kindNames: Iterable<string>;
  /** The types that a column of this name has among the kinds; empty for an unknown one. */
  columnTypes(name: string): ReadonlySet<ColumnType>;
  readonly columnNames: Iterable<string>;
}
