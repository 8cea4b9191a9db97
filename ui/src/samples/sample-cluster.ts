// SPDX-License-Identifier: Apache-2.0
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { RowSchema } from "../../../src/gen/flotilla/fleet/v1/fleet_pb.ts";
import {
  type ClusterUpdate,
  ClusterUpdateSchema,
  type FleetUpdate,
} from "../../../src/gen/flotilla/page/v1/page_pb.ts";

/**
 * Unhealthy objects of every sample cluster: a cluster-scoped kind, one of a group, a maximal name, right-to-left text.
 */
const problems: readonly (readonly [string, string, string, string, string])[] = [
  ["pods", "Pod", "shop/api-5d8f9c7b6-x2x9q", "CrashLoopBackOff", "back-off 5m0s restarting failed container=api"],
  ["apps/deployments", "Deployment", "shop/api", "MinimumReplicasUnavailable", "Deployment has minimum availability."],
  ["nodes", "Node", "ip-10-0-3-17.eu-west-1.compute.internal", "NotReady", "Kubelet stopped posting node status."],
  ["pods", "Pod", `search/${"w".repeat(62)}1`, "Unschedulable", "0/3 nodes are available: 3 Insufficient memory."],
  ["batch/jobs", "Job", "shop/nightly", "BackoffLimitExceeded", "تعذر على الخادم الاتصال بقاعدة البيانات."],
];

/** One cluster of a sample fleet with its unhealthy objects; undefined for an unknown id. */
export function createSampleCluster(fleet: FleetUpdate, id: string, wallMs: number): ClusterUpdate | undefined {
  const cluster = fleet.clusters.find((each) => each.id === id);
  const rows = problems.map(([resource, kind, path, reason, message], index): MessageInitShape<typeof RowSchema> => {
    const [name = "", namespace = ""] = path.split("/").toReversed();
    const createdAt = timestampFromMs(wallMs - (index + 1) * 5_000_000);
    return { resource, kind, namespace, name, uid: path, status: "unhealthy", reason, message, createdAt };
  });
  return cluster && create(ClusterUpdateSchema, { cluster, unhealthy: { rows, totalCount: rows.length } });
}
