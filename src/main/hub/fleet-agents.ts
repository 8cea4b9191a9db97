// SPDX-License-Identifier: Apache-2.0
// The agents that a hub runs, each as a child process that is restarted when it ends. A hanging cluster or a failing
// agent affects no other (L14).
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { smallMallocVariables } from "../../agent/small-process.ts";
import { onAbort } from "../../base/abort.ts";
import type { Logger } from "../../base/log.ts";
import type { Random } from "../../base/random.ts";
import { backoffDelayMs } from "../../base/time/backoff.ts";
import type { Clock } from "../../base/time/clock.ts";

/** A cluster for which the hub runs an agent. */
export interface AgentCluster {
  readonly id: string;
  readonly region: string;
  readonly environment: string;
  readonly kubeconfig: string;
  readonly context: string;
  /** `--kinds` of its agent. Default: the agent's default. */
  readonly kinds?: readonly string[];
}

/** Settings shared by all agents that a hub runs. */
export interface AgentLaunchSettings {
  /** The program and its arguments before the verb. */
  readonly program: readonly [string, ...string[]];
  /** The hub's data directory; agents keep their keys below it. */
  readonly folder: string;
  readonly hubUrl: string;
  readonly caFile: string;
  readonly logLevel: string;
  readonly logFormat: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

export interface FleetAgentsOptions {
  readonly launch: AgentLaunchSettings;
  readonly clusters: readonly AgentCluster[];
  /** A join token for this cluster; undefined if it is already registered. */
  readonly createJoinToken: (clusterId: string) => Promise<string | undefined>;
}

/** One agent: its cluster, its own flags, and its standard input, if any. */
export interface AgentRun {
  readonly id: string;
  readonly flags: Readonly<Record<string, string | boolean>>;
  readonly input?: string;
}

/** Backoff between two runs of an agent that exits. */
const restartCurve = { firstMs: 500, factor: 2, capMs: 30_000 };

/** How long an agent may take to stop before SIGKILL: it ends its session first. */
const stopTimeoutMs = 5_000;

/** The folder of the agents' files; created if it does not exist. */
export function openAgentFolder(hubFolder: string): string {
  const folder = join(hubFolder, "agents");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

/** Starts an agent for each cluster. Disposing stops them. */
export async function startFleetAgents({
  launch,
  clusters,
  createJoinToken,
}: FleetAgentsOptions): Promise<AsyncDisposable> {
  const folder = openAgentFolder(launch.folder);
  const stop = new AbortController();
  const running: Promise<void>[] = [];
  for (const { id, region, environment, kubeconfig, context, kinds = [] } of clusters) {
    const tokenFile = join(folder, `${id}.join-token`);
    const token = await createJoinToken(id);
    if (token !== undefined) writeFileSync(tokenFile, `${token}\n`, { mode: 0o600 });
    const flags = {
      region,
      environment,
      kubeconfig,
      context,
      "join-token-file": tokenFile,
      "key-file": join(folder, `${id}.json`),
      ...(kinds.length === 0 ? {} : { kinds: kinds.join(",") }),
    };
    running.push(keepAgent(launch, { id, flags }, stop.signal));
  }
  return {
    async [Symbol.asyncDispose]() {
      stop.abort(new Error("the fleet is closing"));
      await Promise.all(running);
    },
  };
}

/**
 * Runs an agent and restarts it with backoff whenever it exits, until the signal aborts. Resolves when the agent has
 * stopped.
 */
export async function keepAgent(launch: AgentLaunchSettings, run: AgentRun, signal: AbortSignal): Promise<void> {
  const { clock, random, log } = launch;
  for (let failureCount = 0; !signal.aborted; failureCount += 1) {
    const code = await runAgent(launch, run, signal);
    if (signal.aborted) return;
    const waitMs = backoffDelayMs(restartCurve, failureCount, random);
    log.warn("agent exited; restarting it", {
      cluster: run.id,
      code: code ?? "killed",
      waitMs: Math.round(waitMs),
    });
    await clock.sleep(waitMs, signal).catch(() => undefined); // the loop condition checks the signal
  }
}

async function runAgent(
  { program: [program, ...before], hubUrl, caFile, logLevel, logFormat, clock }: AgentLaunchSettings,
  { id, flags, input }: AgentRun,
  signal: AbortSignal,
): Promise<number | null> {
  const allFlags = {
    "cluster-id": id,
    hub: hubUrl,
    "ca-file": caFile,
    "log-level": logLevel,
    "log-format": logFormat,
    "object-reads": true,
    ...flags,
  };
  const words = Object.entries(allFlags).flatMap(([name, value]) =>
    typeof value === "boolean" ? [`--${name}=${String(value)}`] : [`--${name}`, value],
  );
  // The IPC channel carries no messages. It closes when this process ends, and the agent ends with it.
  const child = spawn(program, [...before, "agent", ...words], {
    stdio: [input === undefined ? "ignore" : "pipe", "ignore", "inherit", "ipc"],
    env: { ...smallMallocVariables, ...process.env, NO_PROXY: withoutProxyTo(hubUrl, process.env) },
  });
  const ended = once(child, "close");
  const unlisten = onAbort(signal, () => void stopAgent(child, clock));
  child.stdin?.on("error", () => undefined); // an agent that exits early is reported by its exit
  child.stdin?.end(input);
  try {
    await ended;
  } finally {
    unlisten();
  }
  return child.exitCode;
}

/**
 * NO_PROXY with the hub's host: an agent on the hub's machine needs no proxy to reach it, whatever address the hub
 * listens on.
 */
export function withoutProxyTo(hubUrl: string, environment: NodeJS.ProcessEnv): string {
  const { hostname } = new URL(hubUrl);
  return [environment["NO_PROXY"] || environment["no_proxy"] || "", hostname].filter((part) => part !== "").join(",");
}

async function stopAgent(child: ChildProcess, clock: Clock): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const cancel = clock.setTimer(stopTimeoutMs, () => child.kill("SIGKILL"));
  child.once("close", cancel);
  child.kill("SIGTERM");
}
