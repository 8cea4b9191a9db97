// SPDX-License-Identifier: Apache-2.0
import type { Visibility } from "../../rbac/visibility.ts";
import type { Predicate } from "../language/query-predicate.ts";
import { ScanScratch } from "../scan/keep-rows.ts";
import { visibleRowsOf } from "../scan/kept-visible-rows.ts";
import { type ClusterFilter, compileFilter, type RowFilter } from "../scan/row-filter.ts";
import type { ClusterTexts } from "../table/cluster-texts.ts";
import type { KindTable } from "../table/kind-table.ts";
import type { TableView } from "./field-source.ts";
import type { RowSelection } from "./row-selection.ts";

/** What a query selects from one table. */
export interface SelectedRows {
  /** The visible rows that match. Borrowed until the next selection. */
  readonly selection: RowSelection;
  /** The number of visible rows; 0 if it was not counted. */
  readonly visibleCount: number;
}

const noRows: RowSelection = { rows: new Uint32Array(0), count: 0, isAll: false };

/** Selects the visible rows of tables that match a predicate. Nothing is counted that is not visible (L17). */
export class RowSelector {
  readonly #predicate: Predicate;
  readonly #scratch = new ScanScratch();
  #rows = new Uint32Array(1_024);
  #compiled: { readonly cluster: ClusterTexts; readonly version: number; readonly filter: ClusterFilter } | undefined;

  constructor(predicate: Predicate) {
    this.#predicate = predicate;
  }

  /** With `countsVisible` the visible rows are counted even if none can match. */
  select(view: TableView, visibility: Visibility, countsVisible: boolean): SelectedRows {
    const { table } = view;
    const matching = this.#filterOf(view);
    if (matching === "none" && !countsVisible) return { selection: noRows, visibleCount: 0 };
    const visible = this.#visible(table, visibility);
    const selection = visible.count === 0 ? noRows : this.#keep(matching, visible);
    return { selection, visibleCount: visible.count };
  }

  /** Called before rows and fields of clusters may change. */
  release(): void {
    this.#compiled = undefined;
  }

  /** Compiled once for the tables of a cluster. */
  #filterOf({ table, resource, fields, nowMs }: TableView): RowFilter {
    const { cluster } = table;
    if (this.#compiled?.cluster !== cluster || this.#compiled.version !== cluster.version) {
      const filter = compileFilter(this.#predicate, { texts: cluster, fields, nowMs, scratch: this.#scratch });
      this.#compiled = { cluster, version: cluster.version, filter };
    }
    const { filter } = this.#compiled;
    return typeof filter === "function" ? filter(table, resource) : filter;
  }

  #visible(table: KindTable, visibility: Visibility): RowSelection {
    if (visibility.kind === "none") return noRows;
    if (visibility.kind === "all") return { rows: noRows.rows, count: table.count, isAll: true };
    const rows = visibleRowsOf(table, visibility);
    // Filters write into the rows that they are given.
    const own = this.#room(rows.length);
    own.set(rows);
    return { rows: own, count: rows.length, isAll: false };
  }

  #keep(filter: RowFilter, { rows, count, isAll }: RowSelection): RowSelection {
    if (filter === "all") return { rows, count, isAll };
    if (filter === "none") return noRows;
    const kept = isAll ? this.#room(count) : rows;
    return { rows: kept, count: filter(kept, count, isAll), isAll: false };
  }

  #room(count: number): Uint32Array {
    if (this.#rows.length < count) this.#rows = new Uint32Array(Math.ceil(count * 1.5));
    return this.#rows;
  }
}

/** Whether the visibility shows any row of the table. */
export function hasVisibleRow(table: KindTable, visibility: Visibility): boolean {
  if (visibility.kind === "some") return visibleRowsOf(table, visibility).length > 0;
  return visibility.kind === "all" && table.count > 0;
}
