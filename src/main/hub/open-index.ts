// SPDX-License-Identifier: Apache-2.0
import { openWorkerPort, workerModule } from "../../base/worker-port.ts";
import type { FleetIndex } from "../../hub/index/fleet-index.ts";
import type { IndexPort } from "../../hub/index/index-port.ts";
import type { ClusterSize } from "../../hub/rows/cluster-limits.ts";

/** Opens an empty index in its own thread. `limits` are those of one cluster. */
export function openIndex(limits: ClusterSize): Promise<IndexPort> {
  return openWorkerPort<FleetIndex>(workerModule("index-worker", import.meta.url), limits);
}
