// SPDX-License-Identifier: Apache-2.0
// Entry of the thread that owns fleet.db.
import { parentPort, workerData } from "node:worker_threads";
import { assert } from "../../base/assert.ts";
import { systemClock } from "../../base/system-clock.ts";
import { serveEngine } from "../worker-port.ts";
import { SqliteFleetLog } from "./sqlite-fleet-log.ts";

assert(parentPort !== null, "this module runs as a worker thread");
serveEngine(parentPort, () => new SqliteFleetLog({ file: String(workerData), clock: systemClock }));
