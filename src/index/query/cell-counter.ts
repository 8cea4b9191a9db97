// SPDX-License-Identifier: Apache-2.0
import type { Visibility } from "../../rbac/visibility.ts";
import type { Predicate } from "../language/query-predicate.ts";
import type { KindTable } from "../table/kind-table.ts";
import type { TextDictionary } from "../table/text-dictionary.ts";
import { CellFilter } from "./cell-filter.ts";
import { type CellMask, intersectMasks } from "./cell-mask.ts";
import { CellTally } from "./cell-tally.ts";
import { cellsOf } from "./cluster-cells.ts";
import type { TableView } from "./field-source.ts";
import type { QueriedCluster } from "./query-request.ts";
import type { QueryWork } from "./query-work.ts";
import { visibleMask } from "./visible-mask.ts";

/** The selected rows of one cluster as counts. */
export interface CountedCluster {
  /** Of the tables that have a mask. Borrowed until the next cluster. */
  readonly tally: CellTally;
  /** By table; undefined for tables that must be read row by row, because names decide what is visible. */
  readonly masks: readonly (CellMask | undefined)[];
}

/** Counts the rows of clusters without looking at them, for predicates over kind, cluster, namespace and status. */
export class CellCounter {
  readonly #filter: CellFilter;
  readonly #work: QueryWork;
  readonly #tally = new CellTally();

  private constructor(filter: CellFilter, work: QueryWork) {
    this.#filter = filter;
    this.#work = work;
  }

  /** Undefined if the predicate looks at other fields. */
  static create(predicate: Predicate, fleetNamespaces: TextDictionary, work: QueryWork): CellCounter | undefined {
    const filter = CellFilter.create(predicate, fleetNamespaces);
    return filter === undefined ? undefined : new CellCounter(filter, work);
  }

  /** `views` are all tables of the cluster, in key order. Undefined if the cluster is too large to be counted at once. */
  count(
    cluster: QueriedCluster,
    views: readonly TableView[],
    visibilityOf: (view: TableView) => Visibility,
    withNamespaces: boolean,
  ): CountedCluster | undefined {
    const masks = this.#masksOf(cluster, views, visibilityOf);
    const tables = views.map(({ table }) => table);
    if (!withNamespaces && masks.every((mask) => typeof mask !== "object")) {
      this.#tally.countTables(tables, masks.map(orNothing));
      return { tally: this.#tally, masks };
    }
    if (isFew(tables, masks)) {
      this.#tally.countTables([], []);
      return { tally: this.#tally, masks: masks.map((mask) => (mask === 0 ? 0 : undefined)) };
    }
    const cells = cellsOf(cluster.texts, tables, this.#work);
    if (cells === undefined) return undefined;
    this.#tally.countCells(cells, masks.map(orNothing));
    return { tally: this.#tally, masks };
  }

  /** What a table's predicate and visibility let pass. Equal pairs share one array, which a tally takes advantage of. */
  #masksOf(
    { texts }: QueriedCluster,
    views: readonly TableView[],
    visibilityOf: (view: TableView) => Visibility,
  ): readonly (CellMask | undefined)[] {
    const joined = new Map<CellMask, Map<CellMask, CellMask>>();
    return views.map((view) => {
      const visible = view.table.count === 0 ? 0 : visibleMask(texts, visibilityOf(view));
      if (visible === undefined || visible === 0) return visible;
      const wanted = this.#filter.maskOf(view, texts);
      if (typeof wanted === "number" && typeof visible === "number") return wanted & visible;
      const known = joined.get(wanted)?.get(visible);
      if (known !== undefined) return known;
      const mask = intersectMasks(wanted, visible);
      const ofWanted = joined.get(wanted) ?? new Map<CellMask, CellMask>();
      joined.set(wanted, ofWanted.set(visible, mask));
      return mask;
    });
  }
}

/** Tables that are read row by row count nothing here. */
function orNothing(mask: CellMask | undefined): CellMask {
  return mask ?? 0;
}

/** Reading the rows of few tables takes less time than reading the cells of all. */
function isFew(tables: readonly KindTable[], masks: readonly (CellMask | undefined)[]): boolean {
  let [all, wanted] = [0, 0];
  for (let at = 0; at < tables.length; at += 1) {
    const count = tables[at]?.count ?? 0;
    all += count;
    if (masks[at] !== 0 && masks[at] !== undefined) wanted += count;
  }
  return wanted * 4 < all;
}
