// SPDX-License-Identifier: Apache-2.0
// The entry of the thread that owns the index.
import { parentPort, workerData } from "node:worker_threads";
import { assert } from "../../base/assert.ts";
import { pauseThread, systemClock } from "../../base/time/system-clock.ts";
import { serveEngine } from "../../base/worker-port.ts";
import { FleetIndex } from "../../hub/index/fleet-index.ts";
import { createHasher } from "../../model/rows/hasher.ts";
import { zstdCodec } from "../../rpc/client/zstd-codec.ts";
import type { IndexWorkerData } from "./open-index.ts";

assert(parentPort !== null, "this module runs as a worker thread");
const { limits, cursorKey } = workerData as IndexWorkerData;
const hasher = await createHasher();
serveEngine(
  parentPort,
  () => new FleetIndex({ codec: zstdCodec, hasher, limits, cursorKey, clock: systemClock, pause: pauseThread }),
);
