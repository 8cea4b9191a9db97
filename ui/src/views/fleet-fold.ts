// SPDX-License-Identifier: Apache-2.0
import { fromBinary } from "@bufbuild/protobuf";
import { type FleetCluster, FleetUpdateSchema, type Incident } from "../../../src/gen/flotilla/page/v1/page_pb.ts";
import type { ViewFold } from "./view-store.ts";

/** Every cluster that the viewer may see, and what is going on. */
export interface FleetPicture {
  readonly clusters: ReadonlyMap<string, FleetCluster>;
  readonly incidents: readonly Incident[];
}

/** A cluster that did not change stays the same object, so that its tile need not be drawn again. */
export const fleetFold: ViewFold<FleetPicture> = {
  empty: { clusters: new Map(), incidents: [] },
  fold({ clusters: before, incidents }, bytes) {
    const update = fromBinary(FleetUpdateSchema, bytes);
    const clusters = new Map(before);
    for (const cluster of update.clusters) clusters.set(cluster.id, cluster);
    for (const id of update.removedIds) clusters.delete(id);
    return { clusters, incidents: update.incidents?.incidents ?? incidents };
  },
};
