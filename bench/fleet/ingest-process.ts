// SPDX-License-Identifier: Apache-2.0
// Entry of the process in which ingest is measured: the hub's own code from compressed flushes to rows that are durable
// and visible, with the fleet log in SQLite, while rows are read every few milliseconds. Arguments: a folder, the
// number of clusters of 100,000 rows.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { silentLogger } from "../../src/base/log.ts";
import { silentMetrics } from "../../src/base/testing/silent-metrics.ts";
import { systemClock as clock } from "../../src/base/time/system-clock.ts";
import { createFleetCounters } from "../../src/hub/fleet/fleet-counters.ts";
import { createInThreadIndex, engineOf } from "../../src/hub/index/testing/in-thread-index.ts";
import { Ingest } from "../../src/hub/ingest/ingest.ts";
import { LogSizes } from "../../src/hub/ingest/log-sizes.ts";
import { ChangeFeed } from "../../src/hub/rows/change-feed.ts";
import { FleetRows } from "../../src/hub/rows/fleet-rows.ts";
import { createHasher } from "../../src/model/rows/hasher.ts";
import { zstdCodec as codec } from "../../src/rpc/client/zstd-codec.ts";
import { openFleetLog } from "../../src/store/fleet-log/open-fleet-log.ts";
import { createFleetRows } from "../support/fleet-rows.ts";
import { quantile } from "../support/promise.ts";
import { type CountedFlush, createFlushes } from "./first-sync-flushes.ts";

interface Key {
  readonly namespace: string;
  readonly name: string;
}

/** A reader's next read is due so long after the last. */
const readEveryMs = 2;

/** Flushes under way of one cluster: what the credit of 8 MiB allows. */
const inFlight = 4;

const [folder = "", clusterCountText = "5"] = process.argv.slice(2);
const clusterCount = Number(clusterCountText);
const hasher = await createHasher();
const { flushes, sample } = await createSample();
const index = createInThreadIndex({ codec, hasher, pause: () => clock.sleep(0) });
const fleetRows = new FleetRows(index, silentLogger);
const fleetLog = await openFleetLog(`${folder}/fleet.db`);
const ingest = new Ingest({
  fleetLog,
  fleetRows,
  feed: new ChangeFeed("bench"),
  counters: createFleetCounters(silentMetrics),
  sizes: new LogSizes(),
});

/**
 * Flushes, and some keys to read. The 200 MB that they were made of are collected before the measuring: a hub has none,
 * and the first collection during ingest would be about them.
 */
async function createSample(): Promise<{ readonly flushes: readonly CountedFlush[]; readonly sample: readonly Key[] }> {
  const contents = createFleetRows(hasher);
  const keys = contents[0]?.rows.slice(0, 1_000).map(({ namespace, name }) => ({ namespace, name })) ?? [];
  return { flushes: await createFlushes(contents, { codec, hasher }), sample: keys };
}

function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  collect();
}

const lateMs: number[] = [];
const busyMs: number[] = [];
const over = new AbortController();

/** Main-thread time of this process in milliseconds: what other work on the machine takes is not in it. */
function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

async function read(): Promise<void> {
  for (let serial = 0; !over.signal.aborted; serial += 1) {
    const [dueMs, cpuMs] = [performance.now() + readEveryMs, threadCpuMs()];
    await new Promise((resolve) => setTimeout(resolve, readEveryMs));
    const { namespace = "", name = "" } = sample[serial % sample.length] ?? {};
    engineOf(index).tables.getRow(`bench-${serial % clusterCount}`, "pods", { namespace, name });
    lateMs.push(performance.now() - dueMs);
    busyMs.push(threadCpuMs() - cpuMs);
  }
}

async function bring(cluster: string): Promise<number> {
  const source = { cluster, shard: "", epoch: 1, incarnation: "inc" };
  await fleetLog.raiseEpoch(cluster, "", 1);
  const under: Promise<unknown>[] = [];
  let rowCount = 0;
  for (const { flush, rowCount: count } of flushes) {
    under.push(ingest.take(source, flush, new Set(["pods", "apps/deployments", "services"])));
    rowCount += count;
    if (under.length >= inFlight) await under.shift();
  }
  await Promise.all(under);
  return rowCount;
}

collectGarbage();
const [startedMs, startedCpu, startedThreadMs] = [performance.now(), process.cpuUsage(), threadCpuMs()];
const reading = read();
let rowCount = 0;
for (let at = 0; at < clusterCount; at += 2) {
  const some = [at, at + 1].filter((cluster) => cluster < clusterCount);
  for (const count of await Promise.all(some.map((cluster) => bring(`bench-${cluster}`)))) rowCount += count;
}
const tookMs = performance.now() - startedMs;
const { user, system } = process.cpuUsage(startedCpu);
const threadMs = threadCpuMs() - startedThreadMs;
over.abort();
await reading;
await fleetLog.close();
const held = fleetRows.clusters().reduce((sum, cluster) => sum + fleetRows.rowCount(cluster), 0);
if (held !== rowCount) throw new Error(`the picture holds ${held} rows of ${rowCount}`);
const [late, busy] = [lateMs.toSorted((a, b) => a - b), busyMs.toSorted((a, b) => a - b)];
process.send?.({
  rowCount,
  flushCount: flushes.length * clusterCount,
  rowsPerSecond: rowCount / (tookMs / 1_000),
  rowsPerCpuSecond: rowCount / ((user + system) / 1e6),
  rowsPerThreadSecond: rowCount / (threadMs / 1_000),
  readCount: late.length,
  lateP99Ms: quantile(late, 0.99),
  lateMaxMs: late.at(-1) ?? 0,
  busyP99Ms: quantile(busy, 0.99),
  busyMaxMs: busy.at(-1) ?? 0,
  rssMib: process.memoryUsage().rss / 1024 / 1024,
});
process.disconnect?.();
