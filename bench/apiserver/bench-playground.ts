// SPDX-License-Identifier: Apache-2.0
import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { promptEnvironment } from "../../test/e2e/run-program.ts";
import { cpuMsOf, rssMibOf } from "./process-figures.ts";
import { median, report, spread } from "./report.ts";

/** Starts of each kind of cluster. */
const runCount = 3;
/** Until Pods run and nothing is started any more: the slowest of the scenario takes some seconds. */
const settleMs = 15_000;
/** For so long it is then looked at what an idle cluster costs. */
const idleMs = 10_000;
const entry = new URL("../../src/main/flotilla.ts", import.meta.url).pathname;

/** A process that has said that it is ready, and when it did. */
interface Started extends AsyncDisposable {
  readonly pid: number;
  readonly readyMs: number;
}

/** What a process costs once nobody does anything to it. */
interface Settled {
  readonly rssMib: number;
  /** Of one processor. */
  readonly cpuPart: number;
}

async function untilReady(child: ChildProcess, startedMs: number, ready: Promise<unknown>): Promise<Started> {
  const ended = once(child, "exit");
  const failed = ended.then(([code]) => {
    throw new Error(`the process ended with code ${code} before it was ready`);
  });
  await Promise.race([ready, failed]);
  failed.catch(() => undefined); // it is awaited by nobody once the process is ready
  return {
    pid: child.pid ?? 0,
    readyMs: performance.now() - startedMs,
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

function startCluster(folder: string, content: "empty" | "scenario"): Promise<Started> {
  const startedMs = performance.now();
  const child = fork(new URL("./playground-process.ts", import.meta.url), [folder, content]);
  return untilReady(child, startedMs, once(child, "message"));
}

/** `flotilla up` says that it is ready on its first line. */
function startUp(folder: string, clusterCount: number): Promise<Started> {
  const startedMs = performance.now();
  const flags = ["--clusters", String(clusterCount), "--port", "0", "--http-port", "0", "--log-level", "error"];
  const child = spawn(process.execPath, [entry, "up", ...flags], {
    cwd: folder,
    env: promptEnvironment(),
    stdio: ["ignore", "pipe", "inherit"],
  });
  return untilReady(child, startedMs, once(child.stdout, "data"));
}

async function settle(pid: number): Promise<Settled> {
  await pause(settleMs);
  const beforeMs = cpuMsOf(pid);
  const startedMs = performance.now();
  await pause(idleMs);
  return { rssMib: rssMibOf(pid), cpuPart: (cpuMsOf(pid) - beforeMs) / (performance.now() - startedMs) };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** One playground cluster in a process of its own: until it answers, and what it costs when it has settled. */
export async function benchPlaygroundCluster(makeFolder: () => string, content: "empty" | "scenario"): Promise<void> {
  const starts: number[] = [];
  const cpuMs: number[] = [];
  let settled: Settled | undefined;
  for (let at = 0; at < runCount; at += 1) {
    await using started = await startCluster(makeFolder(), content);
    starts.push(started.readyMs);
    cpuMs.push(cpuMsOf(started.pid));
    if (at === runCount - 1) settled = await settle(started.pid);
  }
  report(content === "empty" ? "an empty playground cluster" : "a playground cluster with its scenario", {
    startMs: median(starts),
    startSpread: spread(starts),
    startCpuMs: median(cpuMs),
    ...settled,
  });
}

/** Many playground clusters in one `flotilla up`: until all answer, and what they cost when they have settled. */
export async function benchPlaygroundFleet(makeFolder: () => string, clusterCount: number): Promise<void> {
  await using started = await startUp(makeFolder(), clusterCount);
  const startCpuMs = cpuMsOf(started.pid);
  const { rssMib, cpuPart } = await settle(started.pid);
  report(`${clusterCount} playground cluster${clusterCount === 1 ? "" : "s"} in one flotilla up`, {
    readyMs: started.readyMs,
    startCpuMs,
    startCpuMsEach: startCpuMs / clusterCount,
    rssMib,
    rssMibEach: rssMib / clusterCount,
    cpuPart,
    cpuPartEach: cpuPart / clusterCount,
  });
}
