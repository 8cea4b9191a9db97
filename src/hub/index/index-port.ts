// SPDX-License-Identifier: Apache-2.0
import type { WorkerPort } from "../../base/worker-port.ts";
import type { FleetIndex } from "./fleet-index.ts";

/** The index in its thread. Calls begin in the order in which they were made; long ones let others run in between. */
export type IndexPort = WorkerPort<FleetIndex>;
