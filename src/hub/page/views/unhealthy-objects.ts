// SPDX-License-Identifier: Apache-2.0
import type { ClusterSummary } from "../../rows/fleet-reader.ts";

/** Number of unhealthy and degraded objects of one kind. */
export interface TroubleCount {
  readonly resource: string;
  readonly kind: string;
  readonly count: number;
}

/** Kinds with unhealthy or degraded objects, sorted by name (PG24). */
export function countTrouble({ kinds }: Pick<ClusterSummary, "kinds">): readonly TroubleCount[] {
  const counts: TroubleCount[] = [];
  for (const { resource, kind, statusCounts } of kinds) {
    const { unhealthy = 0, degraded = 0 } = statusCounts ?? {};
    if (unhealthy + degraded > 0) counts.push({ resource, kind, count: unhealthy + degraded });
  }
  return counts.sort((a, b) => (a.resource < b.resource ? -1 : 1));
}
