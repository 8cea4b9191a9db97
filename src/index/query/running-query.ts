// SPDX-License-Identifier: Apache-2.0
import type { Visibility } from "../../rbac/visibility.ts";
import type { SortField } from "../language/field-ref.ts";
import { filterWeight } from "../language/text-searches.ts";
import { CellCounter, type CountedCluster } from "./cell-counter.ts";
import { CellRows } from "./cell-rows.ts";
import { checkRequest } from "./check-request.ts";
import type { TableView } from "./field-source.ts";
import { KeyPage } from "./key-page.ts";
import { QueryCounters } from "./query-counters.ts";
import type { QueryPage } from "./query-page.ts";
import { PlanCounts } from "./query-plan.ts";
import type { QueriedCluster, QueriedFleet, QueryAnswer, QueryRequest } from "./query-request.ts";
import { QueryWork } from "./query-work.ts";
import { resourcesOf } from "./resources-of.ts";
import { RowSelector } from "./row-selector.ts";
import { SortedPage } from "./sorted-page.ts";
import { createTableTest, type TableTest } from "./table-test.ts";

/** The state of one query between slices. */
export class RunningQuery {
  readonly #fleet: QueriedFleet;
  readonly #request: QueryRequest;
  readonly #sort: readonly SortField[];
  readonly #page: QueryPage;
  readonly #counters: QueryCounters;
  readonly #work: QueryWork;
  readonly #plan = new PlanCounts();
  readonly #tableTest: TableTest;
  readonly #selector: RowSelector;
  /** For tables with other dictionaries than their cluster: each selector keeps a filter for one dictionary. */
  readonly #otherSelector: RowSelector;
  readonly #cells: CellCounter | undefined;
  readonly #cellRows = new CellRows();
  /**
   * Visible rows are counted, whatever an index knows of them: for the plan, and for a budget that can be exceeded.
   * Otherwise both would depend on rows that the user may not see (QL15).
   */
  readonly #countsVisible: boolean;
  #total = 0;

  constructor(fleet: QueriedFleet, request: QueryRequest, maxSliceRows: number) {
    checkRequest(request);
    const { filter, limit, sort = [], after, budget, isUnordered = false } = request;
    this.#fleet = fleet;
    this.#request = request;
    this.#sort = sort.map(toStableField);
    const isByKey = sort.length === 0 && !isUnordered;
    this.#page = isByKey ? new KeyPage(limit, after?.key) : new SortedPage(limit, this.#sort, after);
    this.#counters = new QueryCounters(request, fleet);
    this.#work = new QueryWork(budget, maxSliceRows / filterWeight(filter));
    this.#work.checkDeadline();
    this.#tableTest = createTableTest(filter);
    this.#selector = new RowSelector(filter);
    this.#otherSelector = new RowSelector(filter);
    this.#countsVisible = request.explain === true || (budget !== undefined && budget.maxRows < rowCountOf(fleet));
    this.#cells = this.#countsVisible ? undefined : CellCounter.create(filter, fleet.namespaces, this.#work);
  }

  get isSliceFull(): boolean {
    return this.#work.isSliceFull;
  }

  /** The clusters in the order of reading: the last ones first if they are on the first page. */
  clusterIds(): readonly string[] {
    const ids = this.#fleet.clusterIds();
    const [first] = this.#sort;
    return first?.ref.field === "cluster" && first.isDescending ? ids.toReversed() : ids;
  }

  /** Adds a cluster whose rows can be counted by cells. False if they cannot: its tables are then added one by one. */
  addByCells(cluster: QueriedCluster): boolean {
    if (this.#cells === undefined || cluster.hasOtherTexts === true) return false;
    const views = resourcesOf(cluster.tables).flatMap((resource) => this.#view(cluster, resource) ?? []);
    const counted = this.#cells.count(
      cluster,
      views,
      (view) => this.#visibilityOf(view),
      this.#counters.needsNamespaces,
    );
    this.#total += counted.tally.total;
    this.#counters.addTally(cluster, views, counted.tally);
    for (const [at, view] of views.entries()) this.#addCounted(view, at, counted);
    return true;
  }

  /** Adds one table of a cluster, row by row. */
  addTable(cluster: QueriedCluster, resource: string): void {
    const view = this.#view(cluster, resource);
    if (view === undefined) return;
    this.#addRows(view, view.table.cluster === cluster.texts ? this.#selector : this.#otherSelector);
  }

  endCluster(): void {
    this.#counters.release();
    this.#plan.endCluster();
  }

  /** Rows may change until `resume`. */
  pause(): void {
    this.#selector.release();
    this.#otherSelector.release();
    this.#counters.release();
    this.#page.settle();
  }

  resume(): void {
    this.#work.startSlice();
  }

  answer(): QueryAnswer {
    const { filter, explain } = this.#request;
    return {
      ...this.#page.fill(),
      total: this.#total,
      ...this.#counters.answer(),
      plan: explain === true ? this.#plan.plan(filter, this.#work.readRows, this.#total) : undefined,
      sliceCount: this.#work.sliceCount,
    };
  }

  #view({ fields, tables }: QueriedCluster, resource: string): TableView | undefined {
    const table = tables.get(resource);
    return table === undefined ? undefined : { table, resource, fields, nowMs: this.#request.nowMs };
  }

  /** Reads the rows of a table that was counted, if anything needs them. */
  #addCounted(view: TableView, at: number, counted: CountedCluster): void {
    if (!counted.isCounted(at)) return this.#addRows(view);
    if (counted.tally.tableCounts[at] === 0) return;
    const isWanted = this.#page.wants(view);
    if (!isWanted && !this.#counters.needsRows) return;
    this.#work.touch(view.table.count);
    const selection = this.#cellRows.select(view.table, counted.maskOf(at));
    this.#counters.addCountedRows(view, selection);
    if (isWanted) this.#page.add(view, selection);
  }

  #visibilityOf({ fields, resource }: TableView): Visibility {
    return this.#request.visibilityOf(fields.cluster, resource);
  }

  #addRows(view: TableView, selector = this.#selector): void {
    const isRead = this.#tableTest(view) !== false;
    if (view.table.count === 0 || (!isRead && !this.#countsVisible)) return;
    const visibility = this.#visibilityOf(view);
    if (visibility.kind === "none") return;
    this.#work.touch(view.table.count);
    const { selection, visibleCount } = selector.select(view, visibility, this.#countsVisible);
    if (this.#countsVisible) this.#countVisible(visibleCount, isRead);
    if (selection.count === 0) return;
    this.#total += selection.count;
    this.#counters.addRows(view, selection);
    if (this.#page.wants(view)) this.#page.add(view, selection);
  }

  #countVisible(visibleCount: number, isRead: boolean): void {
    this.#plan.addKind(visibleCount, isRead);
    if (isRead) this.#work.read(visibleCount);
  }
}

/** Ages grow while pages are read, times of creation do not. */
function toStableField({ ref, isDescending }: SortField): SortField {
  if (ref.field !== "age") return { ref, isDescending };
  return { ref: { field: "created", name: "" }, isDescending: !isDescending };
}

function rowCountOf(fleet: QueriedFleet): number {
  let count = 0;
  for (const id of fleet.clusterIds()) for (const table of fleet.get(id)?.tables.values() ?? []) count += table.count;
  return count;
}
