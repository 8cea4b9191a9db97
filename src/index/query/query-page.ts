// SPDX-License-Identifier: Apache-2.0
import type { TableView } from "./field-source.ts";
import type { FoundRow, QueryPosition } from "./query-request.ts";
import type { RowSelection } from "./row-selection.ts";

/** The rows of a page and the position after which the next one begins; undefined if there is none. */
export interface FilledPage {
  readonly rows: readonly FoundRow[];
  readonly next: QueryPosition | undefined;
}

/** Collects the rows of one page from one table after another. */
export interface QueryPage {
  /** False if no further row can be on the page, or show that there is another one. */
  readonly isOpen: boolean;
  /** False if no row of the table can be on the page, or show that there is another one. */
  wants(view: TableView): boolean;
  /** `selection` is borrowed for the call. */
  add(view: TableView, selection: RowSelection): void;
  /** Reads the rows that are still numbers. Called before rows may change. */
  settle(): void;
  fill(): FilledPage;
}
