// SPDX-License-Identifier: Apache-2.0
// The entry of the thread that owns the index of the open loop: as in a hub, but asked at the moment of the bench.
import { parentPort } from "node:worker_threads";
import { assert } from "../../src/base/assert.ts";
import { serveEngine } from "../../src/base/worker-port.ts";
import { createBenchIndex } from "./load-index.ts";

assert(parentPort !== null, "this module runs as a worker thread");
const index = await createBenchIndex();
serveEngine(parentPort, () => index);
