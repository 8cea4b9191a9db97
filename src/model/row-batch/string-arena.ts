// SPDX-License-Identifier: Apache-2.0
import type { StringTable } from "./string-table.ts";

/** Holds the texts of appended batches. */
export interface StringArena {
  /**
   * Adds all texts of a table. Returns the arena's id for each of its ids; id 0, the empty text, stays 0. The result is
   * borrowed until the next call.
   */
  add(table: StringTable): Uint32Array;
}
