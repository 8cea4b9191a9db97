// SPDX-License-Identifier: Apache-2.0
import type { FleetLog, FleetLogEngine } from "../fleet-log.ts";
import { openWorkerPort, workerModule } from "../worker-port.ts";

/** Opens the embedded fleet log in its own thread. */
export function openFleetLog(file: string): Promise<FleetLog> {
  return openWorkerPort<FleetLogEngine>(workerModule("fleet-log-worker", import.meta.url), file);
}
