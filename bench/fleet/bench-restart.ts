// SPDX-License-Identifier: Apache-2.0
// A hub that starts on a fleet log with many rows: until it answers, and until all rows are there.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createHasher } from "../../src/model/rows/hasher.ts";
import { zstdCodec as codec } from "../../src/rpc/client/zstd-codec.ts";
import { dataPaths } from "../../src/store/data-directory.ts";
import { openFleetLog } from "../../src/store/fleet-log/open-fleet-log.ts";
import { BenchHub } from "../support/bench-hub.ts";
import { createFleetRows } from "../support/fleet-rows.ts";
import { startWithRows } from "../support/hub-start.ts";
import { reportPromise } from "../support/promise.ts";
import { createFlushes } from "./first-sync-flushes.ts";

/** Rows of one cluster. */
const clusterRows = 100_000;

async function fillLog(folder: string, rowCount: number): Promise<number> {
  const hasher = await createHasher();
  const flushes = await createFlushes(createFleetRows(hasher), { codec, hasher });
  let filledCount = 0;
  mkdirSync(join(folder, "hub"), { mode: 0o700 });
  const log = await openFleetLog(dataPaths(join(folder, "hub")).fleetDb);
  for (let number = 0; number < rowCount / clusterRows; number += 1) {
    const source = { cluster: `bench-${number}`, shard: "", epoch: 1, incarnation: "inc" };
    await log.raiseEpoch(source.cluster, "", 1);
    for (const { flush, rowCount: count } of flushes) {
      filledCount += count;
      const parts = flush.parts.map(({ resourceText: resource, batch: bytes }) => ({
        resource,
        bytes,
        form: { kind: "delta" } as const,
      }));
      await log.append({ ...source, seq: flush.seq, parts });
    }
  }
  await log.close();
  return filledCount;
}

/** A start with about that many rows, in clusters of 100,000. */
export async function benchRestart(program: string, folder: string, wantedCount: number): Promise<void> {
  const rowCount = await fillLog(folder, wantedCount);
  await using hub = new BenchHub(program, folder);
  const { readyMs, loadedMs, cpuSeconds, rssMib, peakMib } = await startWithRows(hub, rowCount);
  const figures = { bench: "fleet", unit: "s" } as const;
  reportPromise({
    ...figures,
    what: `hub restart with ${rowCount} rows, until it answers`,
    ours: readyMs / 1_000,
    against: { kind: "atMost", value: 15 },
  });
  reportPromise({
    ...figures,
    what: `hub restart with ${rowCount} rows, until all are there`,
    ours: loadedMs / 1_000,
    more: { rowsPerSecond: rowCount / (loadedMs / 1_000), cpuSeconds, rssMib, peakMib },
  });
}
