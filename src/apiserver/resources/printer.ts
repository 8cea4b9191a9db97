// SPDX-License-Identifier: Apache-2.0
import type { Json, JsonObject } from "../json/json.ts";

/** A column of a Table. Priority 0 is always shown, 1 with `-o wide`. */
export interface Column {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  readonly priority: number;
}

/** One line of a Table: a cell for each column, and conditions (`Completed`) that kubectl looks at. */
export interface PrintedRow {
  readonly cells: readonly Json[];
  readonly conditions?: readonly JsonObject[];
}

/** How `kubectl get` shows a kind. */
export interface Printer {
  readonly columns: readonly Column[];
  /** Ages are counted at `nowMs`. */
  row(object: JsonObject, nowMs: number): PrintedRow;
}
