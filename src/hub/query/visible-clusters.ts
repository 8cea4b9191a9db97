// SPDX-License-Identifier: Apache-2.0
import type { HandlerContext } from "@connectrpc/connect";
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

/** Throws NOT_FOUND, the same for a cluster that does not exist and for one that the caller may not know of (L17). */
export function assertVisibleCluster(parts: VisibleClusterParts, cluster: string, context: HandlerContext): void {
  if (!listVisibleClusters(parts, context).includes(cluster)) throw clusterNotFound(cluster);
}
