// SPDX-License-Identifier: Apache-2.0
import type { Visibility } from "../../rbac/visibility.ts";
import type { Predicate } from "../language/query-predicate.ts";
import { ScanScratch } from "../scan/keep-rows.ts";
import { type ClusterFilter, compileFilter, type RowFilter } from "../scan/row-filter.ts";
import { VisibleFilters } from "../scan/visible-rows.ts";
import type { ClusterTexts } from "../table/cluster-texts.ts";
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

/** Kept over queries: the users of a team share visibilities. */
const visibleFilters = new VisibleFilters();

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
    const everyRow = { rows: noRows.rows, count: table.count, isAll: true };
    const visible = this.#keep(visibleFilters.get(table, visibility), everyRow);
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
