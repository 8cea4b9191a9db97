// SPDX-License-Identifier: Apache-2.0
import type { FleetCluster, Incident } from "../../../src/gen/flotilla/page/v1/page_pb.ts";

/** An incident with its visible clusters. */
export interface FleetIncident extends Pick<Incident, "number" | "beganMs" | "reasons" | "regions"> {
  /** Undefined while it is open. */
  readonly endedMs?: bigint | undefined;
  readonly outIds: readonly string[];
  readonly returnedIds: readonly string[];
  /** How each of `returnedIds` caught up, in their order; "" if unknown. */
  readonly caughtUpBy: readonly string[];
  /** Total number of relisted kinds; left out if unknown. */
  readonly relistedKindCount?: number;
}

/**
 * Joins the incidents with their clusters. An incident without clusters is not shown: its clusters have not arrived
 * yet.
 */
export function gatherIncidents(
  incidents: readonly Incident[],
  clusters: ReadonlyMap<string, FleetCluster>,
): readonly FleetIncident[] {
  return incidents
    .map((incident) => gather(incident, clusters))
    .filter(({ outIds, returnedIds }) => outIds.length + returnedIds.length > 0);
}

function gather(
  { number, beganMs, endedMs, reasons, regions }: Incident,
  clusters: ReadonlyMap<string, FleetCluster>,
): FleetIncident {
  const outIds: string[] = [];
  const returnedIds: string[] = [];
  const caughtUpBy: string[] = [];
  let relistedKindCount = 0;
  for (const { id, connection, returns } of clusters.values()) {
    if (connection?.incident === number) {
      outIds.push(id);
      continue;
    }
    const returned = returns.find(({ incident }) => incident === number);
    if (returned === undefined) continue;
    returnedIds.push(id);
    caughtUpBy.push(returned.caughtUpBy);
    relistedKindCount += returned.relistedKindCount;
  }
  return { number, beganMs, endedMs, reasons, regions, outIds, returnedIds, caughtUpBy, relistedKindCount };
}
