// SPDX-License-Identifier: Apache-2.0
import { systemClock } from "../../src/base/time/system-clock.ts";
import { openHubStore } from "../../src/store/sqlite/open-hub-store.ts";
import { LightConnection } from "./light-client.ts";
import { filesIn, storedConfigMap } from "./our-files.ts";
import { median, report, spread } from "./report.ts";
import { type BenchServer, startOurs } from "./servers.ts";

const runCount = 3;
const objectCount = 100_000;
/** Objects in one commit while the store is filled: what is measured does not depend on it. */
const commitCount = 500;

/** What is asked for. */
const goalMs = 5000;

/** How a server started. */
export interface Start {
  readonly answeredMs: number;
  /** Of all its processes, up to the answer. */
  readonly cpuMs: number;
  readonly rssMib: number;
}

/** Starts our server on these files and asks for a list. Memory is read after the answer. */
async function startAndAsk(folder: string, path: string): Promise<Start> {
  const startedMs = performance.now();
  await using server: BenchServer = await startOurs(folder);
  const connection = await LightConnection.open(server);
  await connection.ask("GET", path);
  const answeredMs = performance.now() - startedMs;
  connection.close();
  return { answeredMs, cpuMs: server.readCpuMs(), rssMib: server.readRssMib() };
}

async function fillStore(folder: string): Promise<void> {
  const store = await openHubStore(filesIn(folder), { clock: systemClock });
  for (let serial = 0; serial < objectCount; serial += commitCount)
    await store.commit(Array.from({ length: commitCount }, (_, index) => storedConfigMap(serial + index, 0)));
  await store.close();
}

async function startSeveral(nextFolder: () => string, path: string): Promise<readonly Start[]> {
  const starts: Start[] = [];
  for (let at = 0; at < runCount; at += 1) starts.push(await startAndAsk(nextFolder(), path));
  return starts;
}

/**
 * From the start of the process to the answer of a list of 500, with a hundred thousand objects of 1.4 KB in the store.
 */
export async function benchRestart(makeFolder: () => string): Promise<void> {
  const folder = makeFolder();
  await fillStore(folder);
  const starts = await startSeveral(() => folder, "/api/v1/configmaps?limit=500");
  const answeredMs = median(starts.map((start) => start.answeredMs));
  report(`restart with ${objectCount} objects`, {
    answeredMs,
    spread: spread(starts.map((start) => start.answeredMs)),
    cpuMs: median(starts.map((start) => start.cpuMs)),
    rssMib: median(starts.map((start) => start.rssMib)),
    meetsGoal: answeredMs <= goalMs,
  });
}

/** A new cluster with nothing in it but what every cluster is born with, beside the real one's first start. */
export async function benchEmpty(makeFolder: () => string, real: Start): Promise<void> {
  const starts = await startSeveral(makeFolder, "/api/v1/namespaces?limit=500");
  const answeredMs = median(starts.map((start) => start.answeredMs));
  const rssMib = median(starts.map((start) => start.rssMib));
  report("an empty cluster", {
    startMs: answeredMs,
    startSpread: spread(starts.map((start) => start.answeredMs)),
    realStartMs: real.answeredMs,
    cpuMs: median(starts.map((start) => start.cpuMs)),
    realCpuMs: real.cpuMs,
    rssMib,
    rssSpread: spread(starts.map((start) => start.rssMib)),
    realRssMib: real.rssMib,
    rssRatio: rssMib / real.rssMib,
  });
}
