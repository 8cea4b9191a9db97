// SPDX-License-Identifier: Apache-2.0
import type { HandlerContext } from "@connectrpc/connect";
import { FlotillaError } from "../../base/error.ts";
import type { CallAuthorizer } from "../../rpc/auth/authorize-call.ts";
import { callerOf, callOf } from "../../rpc/server/call-context.ts";
import { createViewerAccess } from "../access/viewer-access.ts";
import { clusterNotFound } from "../clusters/cluster-registry.ts";
import type { FleetParts } from "../fleet-services/fleet-parts.ts";

/** What decides which clusters a caller may know of. */
export interface VisibleClusterParts extends FleetParts {
  readonly authorizer: CallAuthorizer;
}

/** The clusters that the caller may know of, in the order of their ids. */
export function listVisibleClusters(
  { fleet, authorizer }: VisibleClusterParts,
  { values }: HandlerContext,
): readonly string[] {
  const access = createViewerAccess(authorizer, callerOf(values).subject, callOf(values).log);
  return fleet.clusters
    .list()
    .map(({ id }) => id)
    .filter((id) => access.canSeeCluster(id))
    .sort();
}

/** Most globs of a request, and most characters of one: 100 cluster names fit. */
const [maxGlobs, maxGlobLength] = [100, 63];

/** The globs of clusters of a request, each tried on every cluster. Throws INVALID_ARGUMENT for too many or long ones. */
export function checkClusterGlobs(globs: readonly string[]): readonly string[] {
  if (globs.length > maxGlobs || globs.some((glob) => glob.length > maxGlobLength))
    throw new FlotillaError(
      "INVALID_ARGUMENT",
      `at most ${maxGlobs} patterns of clusters are allowed, each of at most ${maxGlobLength} characters`,
    );
  return globs;
}

/** Throws NOT_FOUND, the same for a cluster that does not exist and for one that the caller may not know of (L17). */
export function assertVisibleCluster(parts: VisibleClusterParts, cluster: string, context: HandlerContext): void {
  if (!listVisibleClusters(parts, context).includes(cluster)) throw clusterNotFound(cluster);
}
