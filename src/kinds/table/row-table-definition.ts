// SPDX-License-Identifier: Apache-2.0
import type { RowContent } from "../../model/rows/row.ts";

/** A cell of a table. Null is printed as nothing. */
export type RowTableCell = string | number | boolean | null;

/** A column as in a Table of meta.k8s.io. */
export interface RowTableColumn {
  /** As kube-apiserver writes it; kubectl prints it in capitals. */
  readonly name: string;
  readonly type: "string" | "integer" | "boolean" | "date";
  /** `name` for the column with the object's name. */
  readonly format: string;
  /** 0 is always printed, anything above with `-o wide`. */
  readonly priority: number;
  readonly description?: string;
}

/** How rows of one kind are printed (KI30). */
export interface RowTableDefinition {
  readonly columns: readonly RowTableColumn[];
  /** One cell for each column, in their order. `nowMs` is the time for ages. Never throws, for any row. */
  cells(row: RowContent, nowMs: number): readonly RowTableCell[];
}
