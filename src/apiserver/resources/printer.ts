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

/** One row of a Table: a cell for each column, and conditions such as `Completed`, which kubectl reads. */
export interface PrintedRow {
  readonly cells: readonly Json[];
  readonly conditions?: readonly JsonObject[];
}

/** The `kubectl get` output of a kind. */
export interface Printer {
  readonly columns: readonly Column[];
  /** `nowMs` is the time for ages. */
  row(object: JsonObject, nowMs: number): PrintedRow;
}
