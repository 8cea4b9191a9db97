// SPDX-License-Identifier: Apache-2.0
import { fork } from "node:child_process";
import { once } from "node:events";
import { cpus } from "node:os";
import { join } from "node:path";
import { openFleetLog } from "../../src/store/fleet-log/open-fleet-log.ts";
import type { GeneratedCluster } from "./generate-process.ts";

/** Generated rows on disk. */
export interface GeneratedFleet {
  readonly rowCount: number;
  /** Of all rows, for databases. */
  readonly lineFiles: readonly string[];
}

/** Generates the fleet into a fleet log and into files of lines, in as many processes as there are cores. */
export async function generateFleet(folder: string, logFile: string, wantedCount: number): Promise<GeneratedFleet> {
  const log = await openFleetLog(logFile);
  const partCount = Math.min(4, cpus().length);
  let rowCount = 0;
  const append = async ({ cluster, parts, rowCount: count }: GeneratedCluster): Promise<void> => {
    await log.raiseEpoch(cluster, "", 1);
    await log.append({ cluster, shard: "", epoch: 1, incarnation: "bench", seq: 1, parts });
    rowCount += count;
  };
  const lineFiles = await Promise.all(
    Array.from({ length: partCount }, async (_, part) => {
      const file = join(folder, `rows-${part}.tsv`);
      const args = [wantedCount, part, partCount, file].map(String);
      const child = fork(new URL("./generate-process.ts", import.meta.url), args, { serialization: "advanced" });
      const appends: Promise<void>[] = [];
      child.on("message", (message) => void appends.push(append(message as GeneratedCluster)));
      const [[code]] = (await Promise.all([once(child, "exit"), once(child, "disconnect")])) as [
        [number | null],
        unknown,
      ];
      if (code !== 0) throw new Error(`making rows ended with ${code}`);
      await Promise.all(appends);
      return file;
    }),
  );
  await log.close();
  return { rowCount, lineFiles };
}
