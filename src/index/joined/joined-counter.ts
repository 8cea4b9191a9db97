// SPDX-License-Identifier: Apache-2.0
import type { Visibility } from "../../rbac/visibility.ts";
import type { CountedView } from "../cells/cell-counter.ts";
import type { ClusterCounts } from "../cells/cell-tally.ts";
import { FleetNamespaceSums, type NamespaceSums } from "../cells/namespace-sums.ts";
import { rankCount } from "../cells/table-cells.ts";
import type { Predicate } from "../language/query-predicate.ts";
import { ScanScratch } from "../scan/keep-rows.ts";
import { visibleRowsOf } from "../scan/kept-visible-rows.ts";
import { compileFilter } from "../scan/row-filter.ts";
import type { TextDictionary } from "../table/text-dictionary.ts";
import { type JoinedRows, joinRows } from "./joined-rows.ts";
import { groupTables, type TableGroup, type TableGroups } from "./table-groups.ts";

/** Selects and counts the rows of many tables at once, for predicates that need a look at each row. */
export class JoinedCounter {
  readonly #predicate: Predicate;
  readonly #nowMs: number;
  readonly #namespaces: FleetNamespaceSums;
  readonly #otherNamespaces: FleetNamespaceSums;
  readonly #scratch = new ScanScratch();
  /** By resources, then by names of columns: most clusters have the same. */
  readonly #groups = new Map<readonly string[], Map<readonly ReadonlySet<string>[], TableGroups>>();
  #rows = new Uint32Array(1_024);

  /** `namespaces` are those of all clusters. */
  constructor(predicate: Predicate, nowMs: number, namespaces: TextDictionary) {
    this.#predicate = predicate;
    this.#nowMs = nowMs;
    this.#namespaces = new FleetNamespaceSums(namespaces);
    this.#otherNamespaces = new FleetNamespaceSums(namespaces);
  }

  /** Counted rows by id of the namespace. */
  get namespaceSums(): Uint32Array {
    return addCounts(this.#namespaces.sums.slice(), this.#otherNamespaces.sums);
  }

  /** How the tables of a cluster are read; undefined if none of them can be read together. */
  groupsOf({ ordered }: CountedView): TableGroups | undefined {
    const { resources, columns } = ordered;
    const byColumns = this.#groups.get(resources) ?? new Map<readonly ReadonlySet<string>[], TableGroups>();
    this.#groups.set(resources, byColumns);
    const groups = byColumns.get(columns) ?? groupTables(this.#predicate, resources, columns);
    byColumns.set(columns, groups);
    // Without groups, tables that cannot match need not be opened.
    return groups.groups.length === 0 && groups.single.length === resources.length ? undefined : groups;
  }

  /** Counts the rows of the groups. */
  count(view: CountedView, { groups }: TableGroups): ClusterCounts {
    const { ordered, texts, fields, tables } = view;
    const tally = {
      total: 0,
      tableCounts: new Uint32Array(ordered.tables.length),
      statusCounts: new Uint32Array(rankCount),
    };
    if (groups.length === 0) return tally;
    const joined = joinRows(tables, ordered, texts);
    const otherStatuses = new Uint32Array(rankCount);
    const counts: RowCounts = {
      statuses: [tally.statusCounts, otherStatuses],
      namespaces: [this.#namespaces.open(texts), this.#otherNamespaces.open(texts)],
    };
    for (const group of groups) {
      const filter = compileFilter(group.filter, { texts, fields, nowMs: this.#nowMs, scratch: this.#scratch });
      const ofRows = typeof filter === "function" ? filter(joined, "") : filter;
      if (ofRows === "none") continue;
      const { count, isEvery } = this.#select(view, group, joined);
      if (ofRows === "all" && isEvery) fillRange(this.#rows, 0, 0, count);
      const filtered = ofRows === "all" || count === 0 ? count : ofRows(this.#rows, count, isEvery);
      const kept = isEvery ? keepTables(this.#rows, filtered, joined.starts, group.tables) : filtered;
      if (kept === 0) continue;
      tally.total += kept;
      countTables(this.#rows, kept, joined.starts, tally.tableCounts);
      countRows(this.#rows, kept, joined, counts);
    }
    addCounts(tally.statusCounts, otherStatuses);
    return tally;
  }

  /**
   * Selects the visible rows of a group into `#rows`. With `isEvery` they are among all rows, which are not listed: a
   * filter of all rows is faster than one of listed rows.
   */
  #select(
    { ordered, visibilityOf }: CountedView,
    { tables }: TableGroup,
    joined: JoinedRows,
  ): {
    readonly count: number;
    readonly isEvery: boolean;
  } {
    if (this.#rows.length < joined.count) this.#rows = new Uint32Array(Math.ceil(joined.count * 1.5));
    const visibilities = tables.map((at) => visibilityOf(ordered.resources[at] ?? ""));
    const rowCount = tables.reduce((sum, at) => sum + (ordered.tables[at]?.count ?? 0), 0);
    if (visibilities.every(({ kind }) => kind === "all") && rowCount * 2 > joined.count)
      return { count: joined.count, isEvery: true };
    let count = 0;
    for (const [each, at] of tables.entries()) count = this.#addVisible(ordered, at, visibilities[each], joined, count);
    return { count, isEvery: false };
  }

  /** Lists the visible rows of one table after `count` others. Returns the number of both. */
  #addVisible(
    { tables }: CountedView["ordered"],
    at: number,
    visibility: Visibility | undefined,
    { starts }: JoinedRows,
    count: number,
  ): number {
    const [table, start] = [tables[at], starts[at] ?? 0];
    if (table === undefined || visibility === undefined || visibility.kind === "none") return count;
    if (visibility.kind === "all") return fillRange(this.#rows, count, start, table.count);
    const visible = visibleRowsOf(table, visibility);
    for (let place = 0; place < visible.length; place += 1) this.#rows[count + place] = start + (visible[place] ?? 0);
    return count + visible.length;
  }
}

/** Writes so many numbers from `first` on. Returns the place after them. */
function fillRange(rows: Uint32Array, at: number, first: number, length: number): number {
  for (let place = 0; place < length; place += 1) rows[at + place] = first + place;
  return at + length;
}

/** Keeps the rows of some tables. Returns their number. Rows are ascending, so that those of a table are adjacent. */
function keepTables(rows: Uint32Array, count: number, starts: Uint32Array, tables: readonly number[]): number {
  if (tables.length === starts.length - 1) return count;
  let [kept, end] = [0, 0];
  for (const at of tables) {
    const from = firstFrom(rows, end, count, starts[at] ?? 0);
    end = firstFrom(rows, from, count, starts[at + 1] ?? 0);
    rows.copyWithin(kept, from, end);
    kept += end - from;
  }
  return kept;
}

/** Adds the numbers of rows by table. */
function countTables(rows: Uint32Array, count: number, starts: Uint32Array, counts: Uint32Array): void {
  let from = 0;
  for (let at = 0; at < counts.length && from < count; at += 1) {
    const end = firstFrom(rows, from, count, starts[at + 1] ?? 0);
    counts[at] = (counts[at] ?? 0) + end - from;
    from = end;
  }
}

/** The first place whose row is not below `row`. */
function firstFrom(rows: Uint32Array, from: number, end: number, row: number): number {
  let [low, high] = [from, end];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((rows[middle] ?? 0) < row) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Where rows are counted. Each count is in two parts. */
interface RowCounts {
  readonly statuses: readonly [Uint32Array, Uint32Array];
  readonly namespaces: readonly [NamespaceSums, NamespaceSums];
}

/** Rows take turns between the two parts: adding to the count that the row before has changed takes twice the time. */
function countRows(rows: Uint32Array, count: number, joined: JoinedRows, to: RowCounts): void {
  const [ranks, numbers] = [joined.statuses.values, joined.namespaces.values];
  const [statuses, otherStatuses] = to.statuses;
  const [{ sums, ids }, { sums: otherSums }] = to.namespaces;
  const evenCount = count & ~1;
  for (let at = 0; at < evenCount; at += 2) {
    const row = rows[at] ?? 0;
    const otherRow = rows[at + 1] ?? 0;
    const rank = ranks[row] ?? 0;
    const otherRank = ranks[otherRow] ?? 0;
    const id = ids[numbers[row] ?? 0] ?? 0;
    const otherId = ids[numbers[otherRow] ?? 0] ?? 0;
    statuses[rank] = (statuses[rank] ?? 0) + 1;
    otherStatuses[otherRank] = (otherStatuses[otherRank] ?? 0) + 1;
    sums[id] = (sums[id] ?? 0) + 1;
    otherSums[otherId] = (otherSums[otherId] ?? 0) + 1;
  }
  if (evenCount === count) return;
  const row = rows[evenCount] ?? 0;
  const [rank, id] = [ranks[row] ?? 0, ids[numbers[row] ?? 0] ?? 0];
  statuses[rank] = (statuses[rank] ?? 0) + 1;
  sums[id] = (sums[id] ?? 0) + 1;
}

/** Adds counts to others. */
function addCounts(counts: Uint32Array, more: Uint32Array): Uint32Array {
  for (const [at, count] of more.entries()) counts[at] = (counts[at] ?? 0) + count;
  return counts;
}
