// SPDX-License-Identifier: Apache-2.0
// Entry of the thread that a playground cluster lives in.
import { parentPort, workerData } from "node:worker_threads";
import { assert } from "../base/assert.ts";
import { systemClock } from "../base/system-clock.ts";
import { systemRandom } from "../base/system-random.ts";
import { serveEngine } from "../store/worker-port.ts";
import { createPinoLogger } from "../telemetry/pino-logger.ts";
import { PlaygroundCluster, type PlaygroundClusterOptions } from "./playground-cluster.ts";

assert(parentPort !== null, "this module runs as a worker thread");
serveEngine(parentPort, () => {
  const options = workerData as PlaygroundClusterOptions;
  const log = createPinoLogger({
    level: "error", // a playground tells of its own failures only: what happens in it is what it is for
    sink: { write: (line) => process.stderr.write(line) },
    clock: systemClock,
    fields: { component: "playground", cluster: options.name },
  });
  return new PlaygroundCluster(options, { clock: systemClock, random: systemRandom, log });
});
