// SPDX-License-Identifier: Apache-2.0
import { openWorkerPort, workerModule } from "../../base/worker-port.ts";
import type { FleetLog, FleetLogEngine } from "./fleet-log.ts";

/** Opens the embedded fleet log in its own thread. */
export function openFleetLog(file: string): Promise<FleetLog> {
  return openWorkerPort<FleetLogEngine>(workerModule("fleet-log-worker", import.meta.url), file);
}
