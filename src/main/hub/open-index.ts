// SPDX-License-Identifier: Apache-2.0
import { openWorkerPort, workerModule } from "../../base/worker-port.ts";
import type { FleetIndex } from "../../hub/index/fleet-index.ts";
import type { IndexPort } from "../../hub/index/index-port.ts";
import type { ClusterSize } from "../../index/fold/cluster-size.ts";

/** What the thread of the index is given. */
export interface IndexWorkerData {
  /** The limits of one cluster. */
  readonly limits: ClusterSize;
  /** Signs the cursors of queries. */
  readonly cursorKey: Uint8Array;
}

/** Opens an empty index in its own thread. */
export function openIndex(given: IndexWorkerData): Promise<IndexPort> {
  return openWorkerPort<FleetIndex>(workerModule("index-worker", import.meta.url), given);
}
