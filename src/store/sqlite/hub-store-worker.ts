// SPDX-License-Identifier: Apache-2.0
// The entry of the thread that owns hub.db.
import { parentPort, workerData } from "node:worker_threads";
import { assert } from "../../base/assert.ts";
import { systemRandom } from "../../base/system-random.ts";
import { systemClock } from "../../base/time/system-clock.ts";
import { serveEngine } from "../../base/worker-port.ts";
import { BodyCipher } from "../keys/body-cipher.ts";
import { openKeyFile } from "../keys/key-file.ts";
import type { HubStoreFiles } from "./open-hub-store.ts";
import { SqliteEngine } from "./sqlite-engine.ts";

assert(parentPort !== null, "this module runs as a worker thread");
serveEngine(parentPort, () => {
  const { file, keyFile, encryptedResources } = workerData as HubStoreFiles;
  const keys = openKeyFile(keyFile, systemRandom);
  const cipher = new BodyCipher({ keys, random: systemRandom, resources: encryptedResources });
  return new SqliteEngine({ file, clock: systemClock, random: systemRandom, cipher });
});
