// SPDX-License-Identifier: Apache-2.0
// Entry of the process that a playground cluster is measured in, alone.
// Arguments: the folder of its files, and `empty` or `scenario`.
import { silentLogger } from "../../src/base/log.ts";
import { systemRandom } from "../../src/base/system-random.ts";
import { systemClock } from "../../src/base/time/system-clock.ts";
import { PlaygroundCluster } from "../../src/playground/playground-cluster.ts";

const [folder = "", content = ""] = process.argv.slice(2);
const cluster = new PlaygroundCluster(
  { name: "bench", region: "north", folder, port: 0, adminToken: "bench", seed: "bench", isEmpty: content === "empty" },
  { clock: systemClock, random: systemRandom, log: silentLogger },
);
await cluster.start();
process.once("SIGTERM", () => void cluster.close().then(() => process.exit(0)));
process.send?.("ready");
