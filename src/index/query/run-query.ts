// SPDX-License-Identifier: Apache-2.0
import type { QueriedFleet, QueryAnswer, QueryRequest } from "./query-request.ts";
import { defaultSliceRows } from "./query-work.ts";
import { RunningQuery } from "./running-query.ts";

/** A cluster with more changes than that is read row by row. */
const maxCellTries = 100;

/**
 * Runs a query over the rows that a user may see: a page, the exact total, facets and groups, all of the same rows
 * (L17). Yields after about 2 ms of work, so that other work can run meanwhile; `return()` cancels it. Each kind of a
 * cluster is read at one moment, with the grants of that moment. Throws INVALID_ARGUMENT, TOO_LARGE and
 * DEADLINE_EXCEEDED (QL15).
 */
export function* runQuery(
  fleet: QueriedFleet,
  request: QueryRequest,
  maxSliceRows = defaultSliceRows,
): Generator<void, QueryAnswer, undefined> {
  const query = new RunningQuery(fleet, request, maxSliceRows);
  for (const id of query.clusterIds()) {
    let added = query.addByCells(id);
    // Counting starts again for tables that change meanwhile.
    for (let triesLeft = maxCellTries; added === "unfinished" && triesLeft > 0; triesLeft -= 1) {
      yield* query.rest();
      added = query.addByCells(id);
    }
    if (added !== "added" && !query.addJoined(id))
      for (const resource of query.resourcesOf(id)) {
        query.addTable(id, resource);
        if (query.isSliceFull) yield* query.rest();
      }
    query.endCluster();
    if (query.isSliceFull) yield* query.rest();
  }
  return query.answer();
}
