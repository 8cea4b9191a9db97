// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";
import type { Hasher } from "../../model/rows/hasher.ts";
import { compareUtf8 } from "../../model/text.ts";
import { atOneMoment } from "../relations/at-one-moment.ts";
import type { SelectionOf } from "../relations/table-selection.ts";
import type { ReadableFleet, VisibilityOf, VisibleCluster } from "../relations/visible-cluster.ts";
import { findProblemGroups } from "./cluster-problems.ts";
import type { ProblemGroup } from "./problem-group.ts";

/** Which problems to look for, and as which subject. */
export interface ProblemScope {
  readonly visibilityOf: VisibilityOf;
  /** All clusters if it is left out. */
  readonly clusters?: readonly string[] | undefined;
  /** `unhealthy` objects count. With this, `degraded` ones count too. */
  readonly withDegraded?: boolean | undefined;
  /** Leaves out objects that a query does not select. */
  readonly selectionOf?: SelectionOf | undefined;
  readonly hasher: Hasher;
}

/**
 * Runs work on the groups of each cluster of the scope, in bytewise order of clusters, until `take` returns false for a
 * result. Each cluster is read at one moment. Yields after bounded work.
 */
export function* forEachCluster<Result>(
  fleet: ReadableFleet,
  scope: ProblemScope,
  work: (cluster: VisibleCluster, groups: readonly ProblemGroup[]) => Generator<void, Result, undefined>,
  take: (result: Result) => boolean,
): Generator<void, void, undefined> {
  const { visibilityOf, selectionOf, hasher } = scope;
  const statuses = scope.withDegraded === true ? (["unhealthy", "degraded"] as const) : (["unhealthy"] as const);
  for (const id of [...(scope.clusters ?? fleet.clusterIds())].sort(compareUtf8)) {
    const result = yield* atOneMoment(fleet, id, visibilityOf, function* (cluster) {
      return yield* work(cluster, yield* findProblemGroups(cluster, { statuses, selectionOf }, hasher));
    });
    if (result !== undefined && !take(result)) return;
    yield;
  }
}

/** Throws INVALID_ARGUMENT unless it is an integer from 1 to `max`. */
export function checkPageLimit(limit: number, max: number): void {
  if (!Number.isInteger(limit) || limit < 1 || limit > max)
    throw new FlotillaError("INVALID_ARGUMENT", `the limit must be an integer from 1 to ${max}, it is ${limit}`);
}
