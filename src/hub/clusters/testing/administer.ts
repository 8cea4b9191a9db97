// SPDX-License-Identifier: Apache-2.0
// Changes that an administrator makes by UpdateCluster, without the service.
import type { Fleet } from "../../fleet/fleet.ts";
import { withPause, withReplacement } from "../cluster-changes.ts";
import type { ClusterRecord } from "../cluster-record.ts";

export function setPaused({ clusters }: Fleet, id: string, isPaused: boolean, atMs = 0): Promise<ClusterRecord> {
  return clusters.update(id, (record) => withPause(record, isPaused ? { by: "", atMs } : undefined));
}

export function acceptReplacement({ clusters }: Fleet, id: string, clusterUid: string): Promise<ClusterRecord> {
  return clusters.update(id, (record) => withReplacement(record, clusterUid));
}
