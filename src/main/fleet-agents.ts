// SPDX-License-Identifier: Apache-2.0
// The agents of the clusters that `flotilla up` brings, each a process of its own, begun anew when it ends.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onAbort } from "../base/abort.ts";
import { backoffDelayMs } from "../base/backoff.ts";
import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/log.ts";
import type { Random } from "../base/random.ts";

/** A cluster that gets an agent. */
export interface AgentCluster {
  readonly id: string;
  readonly region: string;
  readonly kubeconfig: string;
  readonly context: string;
}

export interface FleetAgentsOptions {
  readonly clusters: readonly AgentCluster[];
  /** The program and what stands before the verb. */
  readonly program: readonly [string, ...string[]];
  /** Of the hub: agents keep their keys below it. */
  readonly folder: string;
  readonly hubUrl: string;
  readonly caFile: string;
  readonly logLevel: string;
  readonly logFormat: string;
  /** A join token for this cluster; undefined where it has joined before. */
  readonly createJoinToken: (clusterId: string) => Promise<string | undefined>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** Waits between two runs of an agent that ends by itself. */
const restartCurve = { firstMs: 500, factor: 2, capMs: 30_000 };

/** How long an agent may take to say goodbye. */
const stopTimeoutMs = 5_000;

/** Starts the agents. Disposing ends them in good order. */
export async function startFleetAgents(options: FleetAgentsOptions): Promise<AsyncDisposable> {
  const folder = join(options.folder, "agents");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const stop = new AbortController();
  const running: Promise<void>[] = [];
  for (const cluster of options.clusters) {
    const tokenFile = join(folder, `${cluster.id}.join-token`);
    const token = await options.createJoinToken(cluster.id);
    if (token !== undefined) writeFileSync(tokenFile, `${token}\n`, { mode: 0o600 });
    running.push(keepAgent(options, cluster, { folder, tokenFile }, stop.signal));
  }
  return {
    async [Symbol.asyncDispose]() {
      stop.abort(new Error("the fleet is closing"));
      await Promise.all(running);
    },
  };
}

interface AgentFiles {
  readonly folder: string;
  readonly tokenFile: string;
}

async function keepAgent(
  options: FleetAgentsOptions,
  cluster: AgentCluster,
  files: AgentFiles,
  signal: AbortSignal,
): Promise<void> {
  const { clock, random, log } = options;
  for (let failureCount = 0; !signal.aborted; failureCount += 1) {
    const code = await runAgent(options, cluster, files, signal);
    if (signal.aborted) return;
    const waitMs = backoffDelayMs(restartCurve, failureCount, random);
    log.warn("an agent ended and is begun anew", {
      cluster: cluster.id,
      code: code ?? "killed",
      waitMs: Math.round(waitMs),
    });
    await clock.sleep(waitMs, signal).catch(() => undefined); // the loop sees that the signal aborted
  }
}

async function runAgent(
  options: FleetAgentsOptions,
  { id, region, kubeconfig, context }: AgentCluster,
  { folder, tokenFile }: AgentFiles,
  signal: AbortSignal,
): Promise<number | null> {
  const [program, ...before] = options.program;
  const flags = {
    "cluster-id": id,
    region,
    environment: "playground",
    hub: options.hubUrl,
    "ca-file": options.caFile,
    kubeconfig,
    context,
    "join-token-file": tokenFile,
    "key-file": join(folder, `${id}.json`),
    "log-level": options.logLevel,
    "log-format": options.logFormat,
  };
  const words = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value]);
  const child = spawn(program, [...before, "agent", ...words], { stdio: ["ignore", "ignore", "inherit"] });
  const ended = once(child, "close");
  const unlisten = onAbort(signal, () => void stopAgent(child, options.clock));
  try {
    await ended;
  } finally {
    unlisten();
  }
  return child.exitCode;
}

async function stopAgent(child: ChildProcess, clock: Clock): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const cancel = clock.setTimer(stopTimeoutMs, () => child.kill("SIGKILL"));
  child.once("close", cancel);
  child.kill("SIGTERM");
}
