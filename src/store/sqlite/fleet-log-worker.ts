// SPDX-License-Identifier: Apache-2.0
// Entry of the thread that owns fleet.db.
import { parentPort, workerData } from "node:worker_threads";
import { assert } from "../../base/assert.ts";
import { systemClock } from "../../base/system-clock.ts";
import { GroupedFleetLog } from "../fleet-groups.ts";
import { serveEngine } from "../worker-port.ts";
import { SqliteFleetLog } from "./sqlite-fleet-log.ts";

assert(parentPort !== null, "this module runs as a worker thread");
// A timer runs when all messages that have come were taken: while one group is written, the next one gathers (FL11).
serveEngine(
  parentPort,
  () =>
    new GroupedFleetLog(new SqliteFleetLog({ file: String(workerData), clock: systemClock }), (run) => {
      systemClock.setTimer(0, run);
    }),
);
