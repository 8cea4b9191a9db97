// SPDX-License-Identifier: Apache-2.0
import { runQuery } from "../query/run-query.ts";
import type { LiveEntry, LiveState } from "./live-page.ts";
import type { LiveFleet, LiveRequest } from "./live-request.ts";

/** The answer of a live query from all tables, in slices. Throws TOO_LARGE as the query itself does. */
export function* runWholeQuery(
  { fleet, sliceRows }: Pick<LiveFleet, "fleet" | "sliceRows">,
  { filter, visibilityOf, limit, sort, facets }: LiveRequest,
  nowMs: number,
): Generator<void, LiveState, undefined> {
  const request = { filter, visibilityOf, limit, sort, facets: facets.map((ref) => ({ ref })), nowMs };
  const answer = yield* runQuery(fleet, request, sliceRows);
  const page = answer.rows.map(({ cluster, resource, row }): LiveEntry => {
    const { namespace, name, rowHash } = row;
    const table = fleet.get(cluster)?.tables.get(resource);
    const troubledSinceMs = table?.troubledSinceMs(table.findRow(namespace, name));
    return { key: { cluster, resource, namespace, name }, rowHash, troubledSinceMs };
  });
  return { page, total: answer.total, facets: answer.facets, rows: answer.rows.map(({ row }) => row) };
}
