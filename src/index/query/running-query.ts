// SPDX-License-Identifier: Apache-2.0
import type { Visibility } from "../../rbac/visibility.ts";
import { CellCounter, type CountedView } from "../cells/cell-counter.ts";
import { hasCells } from "../cells/cells-cache.ts";
import { orderTables } from "../cells/ordered-tables.ts";
import { JoinedCounter } from "../joined/joined-counter.ts";
import type { SortField } from "../language/field-ref.ts";
import { filterWeight } from "../language/text-searches.ts";
import { createTableTest, type TableTest } from "../scan/table-test.ts";
import { checkRequest } from "./check-request.ts";
import type { TableView } from "./field-source.ts";
import { KeyPage } from "./key-page.ts";
import { QueryCounters } from "./query-counters.ts";
import type { QueryPage } from "./query-page.ts";
import { PlanCounts } from "./query-plan.ts";
import type { QueriedCluster, QueriedFleet, QueryAnswer, QueryRequest } from "./query-request.ts";
import { QueryWork } from "./query-work.ts";
import type { RowSelection } from "./row-selection.ts";
import { RowSelector } from "./row-selector.ts";
import { SortedPage } from "./sorted-page.ts";

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
  /** For predicates that cells cannot decide. */
  readonly #joined: JoinedCounter | undefined;
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
    const canUseCells = !this.#countsVisible && this.#counters.canUseCells;
    this.#cells = canUseCells ? CellCounter.create(filter, fleet.namespaces, this.#work) : undefined;
    // Rows of a page that is sorted by columns are found while tables are read one by one.
    const canJoin = canUseCells && isByKey && this.#cells === undefined;
    this.#joined = canJoin ? new JoinedCounter(filter, request.nowMs, fleet.namespaces) : undefined;
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

  /**
   * Adds a cluster by its cells. `unfinished` if its rows were not counted before the slice was full: it is added
   * again after a pause. `byRows` if its tables must be added one by one.
   */
  addByCells(id: string): "added" | "unfinished" | "byRows" {
    const cells = this.#cells;
    const cluster = cells === undefined ? undefined : this.#fleet.get(id);
    if (cells === undefined || cluster === undefined || cluster.isReadByRows === true) return "byRows";
    const counted = this.#countedView(cluster);
    if (!hasCells(counted.texts, counted.ordered)) return "byRows";
    if (!cells.count(counted, this.#counters.needsNamespaces)) return "unfinished";
    const { tally } = cells;
    const { resources } = counted.ordered;
    this.#total += tally.total;
    this.#counters.addTally(cluster.fields, resources, tally);
    if (tally.total > 0 && this.#page.isOpen) this.#addPage(cluster, resources, tally.tableCounts);
    return "added";
  }

  /** Adds a cluster by reading many of its tables at once. False if its tables must be added one by one. */
  addJoined(id: string): boolean {
    const joined = this.#joined;
    const cluster = joined === undefined ? undefined : this.#fleet.get(id);
    if (joined === undefined || cluster === undefined || cluster.isReadByRows === true) return false;
    const counted = this.#countedView(cluster);
    const { resources, rowCount } = counted.ordered;
    const groups = this.#work.canReadAtOnce(rowCount) ? joined.groupsOf(counted) : undefined;
    if (groups === undefined) return false;
    if (groups.groups.length > 0) this.#work.touch(rowCount);
    const tally = joined.count(counted, groups);
    this.#total += tally.total;
    this.#counters.addTally(cluster.fields, resources, tally);
    for (const at of groups.single) {
      const view = this.#view(cluster, resources[at] ?? "");
      if (view !== undefined) tally.tableCounts[at] = this.#addRows(view, this.#selector)?.count ?? 0;
    }
    if (this.#page.isOpen) this.#addPage(cluster, resources, tally.tableCounts);
    return true;
  }

  /** The tables of a cluster, in key order. */
  resourcesOf(id: string): readonly string[] {
    const cluster = this.#fleet.get(id);
    return cluster === undefined ? [] : orderTables(cluster.tables, cluster.texts).resources;
  }

  /** Adds one table of a cluster, row by row. */
  addTable(id: string, resource: string): void {
    const cluster = this.#fleet.get(id);
    const view = cluster && this.#view(cluster, resource);
    if (view === undefined) return;
    const selector = view.table.cluster === cluster?.texts ? this.#selector : this.#otherSelector;
    const selection = this.#addRows(view, selector);
    if (selection !== undefined && this.#page.wants(view)) this.#page.add(view, selection);
  }

  endCluster(): void {
    this.#counters.release();
    this.#plan.endCluster();
  }

  /** Ends a slice. Rows may change until the next one. */
  *rest(): Generator<void, void, undefined> {
    this.#selector.release();
    this.#otherSelector.release();
    this.#counters.release();
    this.#page.settle();
    yield;
    this.#work.startSlice();
  }

  answer(): QueryAnswer {
    const { filter, explain } = this.#request;
    const byNamespace = this.#cells ?? this.#joined;
    if (byNamespace !== undefined && this.#counters.needsNamespaces)
      this.#counters.addNamespaces(byNamespace.namespaceSums);
    return {
      ...this.#page.fill(),
      total: this.#total,
      ...this.#counters.answer(),
      plan: explain === true ? this.#plan.plan(filter, this.#work.readRows, this.#total) : undefined,
      sliceCount: this.#work.sliceCount,
    };
  }

  #countedView({ fields, texts, tables }: QueriedCluster): CountedView {
    const visibilityOf = (resource: string): Visibility => this.#request.visibilityOf(fields.cluster, resource);
    return { texts, tables, fields, ordered: orderTables(tables, texts), visibilityOf };
  }

  #view({ fields, tables }: QueriedCluster, resource: string): TableView | undefined {
    const table = tables.get(resource);
    return table === undefined ? undefined : { table, resource, fields, nowMs: this.#request.nowMs };
  }

  /** Reads rows for the page from tables of which so many rows were counted. */
  #addPage(cluster: QueriedCluster, resources: readonly string[], counts: Uint32Array): void {
    for (const [at, resource] of resources.entries()) {
      const view = counts[at] === 0 ? undefined : this.#view(cluster, resource);
      if (view === undefined || !this.#page.wants(view)) continue;
      this.#work.touch(view.table.count);
      this.#page.add(view, this.#selector.select(view, this.#visibilityOf(view), false).selection);
    }
  }

  #visibilityOf({ fields, resource }: TableView): Visibility {
    return this.#request.visibilityOf(fields.cluster, resource);
  }

  /** Selects and counts the rows of one table. Undefined if there are none. Borrowed until the next selection. */
  #addRows(view: TableView, selector: RowSelector): RowSelection | undefined {
    const isRead = this.#tableTest(view) !== false;
    if (view.table.count === 0 || (!isRead && !this.#countsVisible)) return undefined;
    const visibility = this.#visibilityOf(view);
    if (visibility.kind === "none") return undefined;
    this.#work.touch(view.table.count);
    const { selection, visibleCount } = selector.select(view, visibility, this.#countsVisible);
    if (this.#countsVisible) this.#countVisible(visibleCount, isRead);
    if (selection.count === 0) return undefined;
    this.#total += selection.count;
    this.#counters.addRows(view, selection);
    return selection;
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
  for (const id of fleet.clusterIds()) {
    const cluster = fleet.get(id);
    if (cluster !== undefined) count += orderTables(cluster.tables, cluster.texts).rowCount;
  }
  return count;
}
