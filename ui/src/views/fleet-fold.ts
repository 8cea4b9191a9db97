// SPDX-License-Identifier: Apache-2.0
import { fromBinary } from "@bufbuild/protobuf";
import {
  ClusterPart,
  type FleetCluster,
  FleetUpdateSchema,
  type Incident,
} from "../../../src/gen/flotilla/page/v1/page_pb.ts";
import { type FleetIncident, gatherIncidents } from "./fleet-incident.ts";
import type { ViewFold } from "./view-store.ts";

/** The visible clusters and the incidents. */
export interface FleetPicture {
  readonly clusters: ReadonlyMap<string, FleetCluster>;
  readonly incidents: readonly FleetIncident[];
  /** The incidents as received last. */
  readonly received: readonly Incident[];
}

/** An unchanged cluster stays the same object, so that its tile is not rendered again. */
export const fleetFold: ViewFold<FleetPicture> = {
  empty: { clusters: new Map(), incidents: [], received: [] },
  fold(before, bytes) {
    const update = fromBinary(FleetUpdateSchema, bytes);
    const clusters = new Map(before.clusters);
    for (const cluster of update.clusters) clusters.set(cluster.id, mergeCluster(clusters.get(cluster.id), cluster));
    for (const id of update.removedIds) clusters.delete(id);
    const received = update.incidents?.incidents ?? before.received;
    return { clusters, incidents: gatherIncidents(received, clusters), received };
  },
};

/** The parts named in the update replace the previous ones; an update that names none is complete. */
function mergeCluster(before: FleetCluster | undefined, update: FleetCluster): FleetCluster {
  if (before === undefined || update.parts.length === 0) return update;
  const has = (part: ClusterPart): boolean => update.parts.includes(part);
  const { objects, ...rest } = before;
  const shownObjects = has(ClusterPart.OBJECTS) ? update.objects : objects;
  const { connection, caughtUpKindCount, followedKindCount, returns, strip } = update;
  return {
    ...rest,
    ...(shownObjects === undefined ? {} : { objects: shownObjects }),
    ...(has(ClusterPart.STRIP) ? { strip } : {}),
    ...(has(ClusterPart.CONNECTION) && connection !== undefined
      ? { connection, caughtUpKindCount, followedKindCount, returns }
      : {}),
  };
}
