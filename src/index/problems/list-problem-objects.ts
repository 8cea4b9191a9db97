// SPDX-License-Identifier: Apache-2.0
import { type Status, statuses } from "../../model/status.ts";
import { compareUtf8 } from "../../model/text.ts";
import { compareIndexKeys, type IndexKey } from "../relations/index-key.ts";
import { placeId, type ReadableFleet, type VisibleCluster } from "../relations/visible-cluster.ts";
import type { ProblemGroup } from "./problem-group.ts";
import { checkPageLimit, forEachCluster, type ProblemScope } from "./problem-scope.ts";

/** The most objects of one page. */
export const maxProblemObjects = 1_000;

export interface ProblemObjectsRequest extends ProblemScope {
  /** `Problem.id`. */
  readonly id: string;
  /** The page begins after this key. The object itself need not exist any more. */
  readonly after?: IndexKey | undefined;
  /** 1 to `maxProblemObjects`. */
  readonly limit: number;
}

/** One object of a problem. */
export interface ProblemObject {
  readonly key: IndexKey;
  readonly kind: string;
  readonly status: Status;
  readonly reason: string;
  readonly message: string;
  /** It explains others, or itself. */
  readonly isRoot: boolean;
}

export interface ProblemObjectsPage {
  /** In key order. */
  readonly objects: readonly ProblemObject[];
  /** The key after which the next page begins; undefined if there is none. */
  readonly next: IndexKey | undefined;
}

/**
 * The objects of one problem. A problem that does not exist has none. Each cluster is read at one moment. Throws
 * INVALID_ARGUMENT for a limit out of range. Yields after bounded work.
 */
export function* listProblemObjects(
  fleet: ReadableFleet,
  request: ProblemObjectsRequest,
): Generator<void, ProblemObjectsPage, undefined> {
  const { after, limit } = request;
  checkPageLimit(limit, maxProblemObjects);
  const objects: ProblemObject[] = [];
  const clusters = (request.clusters ?? fleet.clusterIds()).filter(
    (id) => after === undefined || compareUtf8(id, after.cluster) >= 0,
  );
  yield* forEachCluster(
    fleet,
    { ...request, clusters },
    (cluster, groups) => listInCluster(cluster, groups, request),
    (found) => {
      objects.push(...found);
      return objects.length <= limit;
    },
  );
  const page = objects.slice(0, limit);
  return { objects: page, next: objects.length > limit ? page.at(-1)?.key : undefined };
}

/** The first objects after the key, one more than the page has room for. */
function* listInCluster(
  cluster: VisibleCluster,
  groups: readonly ProblemGroup[],
  { id, after, limit }: ProblemObjectsRequest,
): Generator<void, readonly ProblemObject[], undefined> {
  const wanted = groups.filter((group) => group.id === id);
  const roots = new Set(wanted.map(({ root }) => placeId(root)));
  yield;
  return wanted
    .flatMap(({ members }) => members)
    .map((placed) => ({ placed, key: cluster.keyOf(placed) }))
    .filter(({ key }) => after === undefined || compareIndexKeys(key, after) > 0)
    .sort((a, b) => compareIndexKeys(a.key, b.key))
    .slice(0, limit + 1)
    .map(({ placed, key }) => {
      const { table, row } = placed;
      return {
        key,
        kind: table.kind,
        status: statuses[table.statusRankOf(row)] ?? "unknown",
        reason: table.reasonOf(row),
        message: table.messageOf(row),
        isRoot: roots.has(placeId(placed)),
      };
    });
}
