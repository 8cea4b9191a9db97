// SPDX-License-Identifier: Apache-2.0
// The entry of the thread that owns fleet.db.
import { parentPort, workerData } from "node:worker_threads";
import { assert } from "../../base/assert.ts";
import { systemClock } from "../../base/time/system-clock.ts";
import { serveEngine } from "../../base/worker-port.ts";
import { GroupedFleetLog } from "./grouped-fleet-log.ts";
import { SqliteFleetLog } from "./sqlite-fleet-log.ts";

assert(parentPort !== null, "this module runs as a worker thread");
// A timer runs after all received messages were queued: while one group is written, the next one collects (FL11).
serveEngine(
  parentPort,
  () =>
    new GroupedFleetLog(new SqliteFleetLog({ file: String(workerData), clock: systemClock }), (run) => {
      systemClock.setTimer(0, run);
    }),
);
