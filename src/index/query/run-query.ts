// SPDX-License-Identifier: Apache-2.0
import type { QueriedFleet, QueryAnswer, QueryRequest } from "./query-request.ts";
import { defaultSliceRows } from "./query-work.ts";
import { resourcesOf } from "./resources-of.ts";
import { RunningQuery } from "./running-query.ts";

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
    let cluster = fleet.get(id);
    if (cluster !== undefined && !query.addByCells(cluster)) {
      for (const resource of resourcesOf(cluster.tables)) {
        query.addTable(cluster, resource);
        if (!query.isSliceFull) continue;
        query.pause();
        yield;
        query.resume();
        cluster = fleet.get(id);
        if (cluster === undefined) break;
      }
    }
    query.endCluster();
    if (!query.isSliceFull) continue;
    query.pause();
    yield;
    query.resume();
  }
  return query.answer();
}
