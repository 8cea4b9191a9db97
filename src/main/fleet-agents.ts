// SPDX-License-Identifier: Apache-2.0
// The agents that run beside a hub, each a process of its own, begun anew when it ends: a cluster that hangs or an agent that fails harms no other (L14).
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { smallMallocVariables } from "../agent/small-process.ts";
import { onAbort } from "../base/abort.ts";
import { backoffDelayMs } from "../base/backoff.ts";
import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/log.ts";
import type { Random } from "../base/random.ts";

/** A cluster that gets an agent. */
export interface AgentCluster {
  readonly id: string;
  readonly region: string;
  readonly environment: string;
  readonly kubeconfig: string;
  readonly context: string;
  /** A real one that `up` was given by `--kubeconfig`, not one of its own. */
  readonly isAdopted: boolean;
  /** `--kinds` of its agent; left out: the agent's default. */
  readonly kinds?: readonly string[];
}

/** What all agents beside a hub are run with. */
export interface AgentSurroundings {
  /** The program and what stands before the verb. */
  readonly program: readonly [string, ...string[]];
  /** Of the hub: agents keep their keys below it. */
  readonly folder: string;
  readonly hubUrl: string;
  readonly caFile: string;
  readonly logLevel: string;
  readonly logFormat: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

export interface FleetAgentsOptions extends AgentSurroundings {
  readonly clusters: readonly AgentCluster[];
  /** A join token for this cluster; undefined where it has joined before. */
  readonly createJoinToken: (clusterId: string) => Promise<string | undefined>;
}

/** One agent: its cluster, the flags that are its own, and what it reads on standard input, if anything. */
export interface AgentRun {
  readonly id: string;
  readonly flags: Readonly<Record<string, string | boolean>>;
  readonly input?: string;
}

/** Waits between two runs of an agent that ends by itself. */
const restartCurve = { firstMs: 500, factor: 2, capMs: 30_000 };

/** How long an agent may take to say goodbye. */
const stopTimeoutMs = 5_000;

/** Where the agents beside a hub keep what they have; it is made if need be. */
export function openAgentFolder(hubFolder: string): string {
  const folder = join(hubFolder, "agents");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

/** Starts the agents of the clusters that this process brings. Disposing ends them in good order. */
export async function startFleetAgents(options: FleetAgentsOptions): Promise<AsyncDisposable> {
  const folder = openAgentFolder(options.folder);
  const stop = new AbortController();
  const running: Promise<void>[] = [];
  for (const { id, region, environment, kubeconfig, context, kinds = [] } of options.clusters) {
    const tokenFile = join(folder, `${id}.join-token`);
    const token = await options.createJoinToken(id);
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
    running.push(keepAgent(options, { id, flags }, stop.signal));
  }
  return {
    async [Symbol.asyncDispose]() {
      stop.abort(new Error("the fleet is closing"));
      await Promise.all(running);
    },
  };
}

/** Runs an agent, anew whenever it ends, until the signal aborts; then it has said goodbye. */
export async function keepAgent(surroundings: AgentSurroundings, run: AgentRun, signal: AbortSignal): Promise<void> {
  const { clock, random, log } = surroundings;
  for (let failureCount = 0; !signal.aborted; failureCount += 1) {
    const code = await runAgent(surroundings, run, signal);
    if (signal.aborted) return;
    const waitMs = backoffDelayMs(restartCurve, failureCount, random);
    log.warn("an agent ended and is begun anew", {
      cluster: run.id,
      code: code ?? "killed",
      waitMs: Math.round(waitMs),
    });
    await clock.sleep(waitMs, signal).catch(() => undefined); // the loop sees that the signal aborted
  }
}

async function runAgent(
  { program: [program, ...before], hubUrl, caFile, logLevel, logFormat, clock }: AgentSurroundings,
  { id, flags, input }: AgentRun,
  signal: AbortSignal,
): Promise<number | null> {
  const shared = {
    "cluster-id": id,
    hub: hubUrl,
    "ca-file": caFile,
    "log-level": logLevel,
    "log-format": logFormat,
    "object-reads": true,
  };
  const words = Object.entries({ ...shared, ...flags }).flatMap(([name, value]) =>
    typeof value === "boolean" ? [`--${name}=${String(value)}`] : [`--${name}`, value],
  );
  // The channel carries nothing: it closes with this process, however that ends, and the agent goes with it.
  const child = spawn(program, [...before, "agent", ...words], {
    stdio: [input === undefined ? "ignore" : "pipe", "ignore", "inherit", "ipc"],
    env: { ...smallMallocVariables, ...process.env, NO_PROXY: withoutProxyTo(hubUrl, process.env) },
  });
  const ended = once(child, "close");
  const unlisten = onAbort(signal, () => void stopAgent(child, clock));
  child.stdin?.on("error", () => undefined); // an agent that ends before it has read all is told by its end
  child.stdin?.end(input);
  try {
    await ended;
  } finally {
    unlisten();
  }
  return child.exitCode;
}

/** NO_PROXY with the host of the hub: an agent beside its hub needs no proxy to reach it, whatever address the hub listens on. */
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
