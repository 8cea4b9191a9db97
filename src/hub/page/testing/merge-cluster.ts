// SPDX-License-Identifier: Apache-2.0
import { create } from "@bufbuild/protobuf";
import { ClusterPart, type FleetCluster, FleetClusterSchema } from "../../../gen/flotilla/page/v1/page_pb.ts";

/** By the letter of the proto: the parts that a message names are replaced, and all where it names none. */
export function mergeCluster(before: FleetCluster | undefined, update: FleetCluster): FleetCluster {
  if (update.parts.length === 0) return update;
  if (before === undefined) throw new Error(`only parts of ${update.id} came`);
  const merged = create(FleetClusterSchema, before);
  if (update.parts.includes(ClusterPart.STRIP)) merged.strip = update.strip;
  if (update.parts.includes(ClusterPart.OBJECTS)) {
    delete merged.objects;
    if (update.objects !== undefined) merged.objects = update.objects;
  }
  if (!update.parts.includes(ClusterPart.CONNECTION)) return merged;
  const { connection, caughtUpKindCount, followedKindCount, returns } = update;
  return {
    ...merged,
    ...(connection === undefined ? {} : { connection }),
    caughtUpKindCount,
    followedKindCount,
    returns,
  };
}
