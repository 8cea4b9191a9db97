// SPDX-License-Identifier: Apache-2.0
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { Coverage, WatchObjectsResponseSchema } from "../../gen/flotilla/query/v1/query_pb.ts";
import type { CoveredClusters, LiveQueryUpdate } from "../rows/fleet-queries.ts";
import { toObjectKey } from "./analysis-messages.ts";
import { toFacet, toFoundObject } from "./query-messages.ts";

type ViewMessage = MessageInitShape<typeof WatchObjectsResponseSchema>;

/**
 * The messages of a live view: its updates, and one without rows when only the coverage changed. The coverage is looked
 * up with each update, and every few seconds while there is none (QL14).
 */
export async function* toViewMessages(
  updates: AsyncIterable<LiveQueryUpdate | "unchanged">,
  coverageOf: (covered: CoveredClusters) => Coverage,
): AsyncGenerator<ViewMessage, void, undefined> {
  let last: LiveQueryUpdate | undefined;
  let sentKey = "";
  for await (const update of updates) {
    const newest = update === "unchanged" ? last : update;
    if (newest === undefined) continue;
    const coverage = coverageOf(newest);
    const key = coverageKey(coverage);
    if (update === "unchanged" && key === sentKey) continue;
    [last, sentKey] = [withoutRows(newest), key];
    const { isSnapshot, rows, places, left } = update === "unchanged" ? last : update;
    yield {
      isSnapshot,
      objects: rows.map(toFoundObject),
      places: [...places],
      left: left.map(toObjectKey),
      total: BigInt(newest.total),
      facets: newest.facets.map(toFacet),
      coverage,
      position: newest.position,
    };
  }
}

function withoutRows(update: LiveQueryUpdate): LiveQueryUpdate {
  return { ...update, isSnapshot: false, rows: [], places: [], left: [] };
}

/** Which clusters and kinds were not read or are not current, without their ages. */
function coverageKey({ clusterCount, clusters }: Coverage): string {
  const kept = clusters.map(({ cluster, state, isRead, kinds }) => {
    return [cluster, state, isRead, kinds.map(({ resource }) => resource)];
  });
  return JSON.stringify([clusterCount, kept]);
}
