// SPDX-License-Identifier: Apache-2.0
// Entry point of the worker thread that runs one playground cluster.
import { parentPort, workerData } from "node:worker_threads";
import { assert } from "../base/assert.ts";
import { systemRandom } from "../base/system-random.ts";
import { systemClock } from "../base/time/system-clock.ts";
import { serveEngine } from "../base/worker-port.ts";
import { createPinoLogger } from "../telemetry/pino-logger.ts";
import { PlaygroundCluster, type PlaygroundClusterOptions } from "./playground-cluster.ts";

assert(parentPort !== null, "this module runs as a worker thread");
serveEngine(parentPort, () => {
  const options = workerData as PlaygroundClusterOptions;
  const log = createPinoLogger({
    level: "error", // Only failures of the playground itself are logged, not what happens inside its clusters.
    sink: { write: (line) => process.stderr.write(line) },
    clock: systemClock,
    fields: { component: "playground", cluster: options.name },
  });
  return new PlaygroundCluster(options, { clock: systemClock, random: systemRandom, log });
});
