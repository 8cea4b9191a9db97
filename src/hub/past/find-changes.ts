// SPDX-License-Identifier: Apache-2.0
// What changed between two moments among the objects that a query selects and a user may see.
import { FlotillaError } from "../../base/error.ts";
import type { Predicate } from "../../index/language/query-predicate.ts";
import type { TableView } from "../../index/query/field-source.ts";
import type { QueriedFleet, QueryBudget, QueryKey } from "../../index/query/query-request.ts";
import { defaultSliceRows, QueryWork } from "../../index/query/query-work.ts";
import { RowSelector } from "../../index/query/row-selector.ts";
import { keyOfRow } from "../../index/query/table-keys.ts";
import { compareUtf8 } from "../../model/text.ts";
import type { Visibility } from "../../rbac/visibility.ts";
import { type PastChangesAnswer, PastChangesPage, type PlacedObject } from "./past-changes-page.ts";
import { createPairComparer, selectedInOrder } from "./selected-keys.ts";

/** The rows of one moment. They must not change while they are read. */
export interface ComparedMoment {
  readonly fleet: QueriedFleet;
  readonly atMs: number;
}

export interface PastChangesRequest {
  readonly filter: Predicate;
  /** What the user may see today: it decides for both moments. */
  readonly visibilityOf: (cluster: string, resource: string) => Visibility;
  readonly before: ComparedMoment;
  readonly after: ComparedMoment;
  /** Most changes of the page. 1 to `maxChanges`. A page is also bounded by the size of its rows. */
  readonly limit: number;
  /** The page begins after this key. */
  readonly afterKey?: QueryKey | undefined;
  readonly budget?: QueryBudget | undefined;
}

/** Most changes of one page. */
export const maxChanges = 500;

/** Rows compared in one step: well under a millisecond. */
const stepRows = 2_048;

/** What comparing a row costs, as a number of rows that a scan looks at. */
const rowsPerCompared = 16;

/** Whether a query can select other objects later although no object changed. */
export function dependsOnTime(predicate: Predicate): boolean {
  switch (predicate.kind) {
    case "age":
      return true;
    case "not":
      return dependsOnTime(predicate.of);
    case "and":
    case "or":
      return predicate.parts.some(dependsOnTime);
    default:
      return false;
  }
}

/** A kind of a cluster at one moment, and its selected rows in key order. No view: the cluster did not have it. */
interface SelectedKind {
  readonly view: TableView | undefined;
  readonly rows: Uint32Array;
}

/**
 * Finds what changed. Yields after about 2 ms of work. Throws INVALID_ARGUMENT for a limit out of range and
 * DEADLINE_EXCEEDED at the deadline.
 */
export function* findChanges(request: PastChangesRequest): Generator<void, PastChangesAnswer, undefined> {
  const { filter, visibilityOf, before, after, limit, budget } = request;
  if (!Number.isInteger(limit) || limit < 1 || limit > maxChanges)
    throw new FlotillaError("INVALID_ARGUMENT", `the limit must be an integer from 1 to ${maxChanges}, it is ${limit}`);
  const work = new QueryWork(budget, defaultSliceRows);
  const page = new PastChangesPage(request);
  const [ofBefore, ofAfter] = [createKindSelector(before, filter), createKindSelector(after, filter)];
  for (const cluster of union(before.fleet.clusterIds(), after.fleet.clusterIds()))
    for (const resource of union(resourcesOf(before, cluster), resourcesOf(after, cluster))) {
      const visibility = visibilityOf(cluster, resource);
      if (visibility.kind === "none") continue;
      const old = ofBefore(cluster, resource, visibility);
      const now = ofAfter(cluster, resource, visibility);
      work.touch((old.view?.table.count ?? 0) + (now.view?.table.count ?? 0));
      for (const rowCount of joinKinds(old, now, page)) {
        work.touch(rowCount * rowsPerCompared);
        if (!work.isSliceFull) continue;
        yield;
        work.startSlice();
      }
    }
  return page.answer();
}

/** Joins the selected rows of both moments by key. Yields the number of compared rows after each step. */
function* joinKinds(old: SelectedKind, now: SelectedKind, page: PastChangesPage): Generator<number, void, undefined> {
  const compare =
    old.view === undefined || now.view === undefined ? undefined : createPairComparer(old.view.table, now.view.table);
  let [oldAt, nowAt] = [0, 0];
  let count = 0;
  while (oldAt < old.rows.length || nowAt < now.rows.length) {
    const [oldRow, nowRow] = [old.rows[oldAt], now.rows[nowAt]];
    const before = { view: old.view, row: oldRow ?? -1 };
    const after = { view: now.view, row: nowRow ?? -1 };
    const order = oldRow === undefined ? 1 : nowRow === undefined ? -1 : (compare?.(oldRow, nowRow) ?? 0);
    if (order < 0) page.add("left", before, findSame(before, now.view));
    else if (order > 0) page.add("entered", findSame(after, old.view), after);
    else if (isChanged(before, after)) page.add("changed", before, after);
    if (order <= 0) oldAt += 1;
    if (order >= 0) nowAt += 1;
    count += 1;
    if (count < stepRows) continue;
    yield count;
    count = 0;
  }
  yield count;
}

/** Selects from the tables of one moment. The rows are valid until the next call. */
function createKindSelector(
  { fleet, atMs }: ComparedMoment,
  filter: Predicate,
): (cluster: string, resource: string, visibility: Visibility) => SelectedKind {
  const selector = new RowSelector(filter);
  return (cluster, resource, visibility) => {
    const queried = fleet.get(cluster);
    const table = queried?.tables.get(resource);
    if (queried === undefined || table === undefined) return { view: undefined, rows: new Uint32Array(0) };
    const view = { table, resource, fields: queried.fields, nowMs: atMs };
    return { view, rows: selectedInOrder(table, selector.select(view, visibility, false).selection) };
  };
}

/** The hash covers everything but the resourceVersion (CO41). */
function isChanged(before: PlacedObject, after: PlacedObject): boolean {
  return before.view?.table.rowHash(before.row) !== after.view?.table.rowHash(after.row);
}

/** The object in the table of the other moment, whether it is selected there or not. */
function findSame({ view, row }: PlacedObject, other: TableView | undefined): PlacedObject {
  if (view === undefined || other === undefined) return { view: other, row: -1 };
  const { namespace, name } = keyOfRow(view, row);
  return { view: other, row: other.table.findRow(namespace, name) };
}

function resourcesOf({ fleet }: ComparedMoment, cluster: string): Iterable<string> {
  return fleet.get(cluster)?.tables.keys() ?? [];
}

/** The texts of both, each once, bytewise ascending. */
function union(one: Iterable<string>, other: Iterable<string>): readonly string[] {
  return [...new Set([...one, ...other])].sort(compareUtf8);
}
