// SPDX-License-Identifier: Apache-2.0
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { restHeapFlags, smallMallocVariables, startHeapFlags } from "../../agent/small-process.ts";
import type { Clock } from "../../base/clock.ts";
import { systemClock } from "../../base/system-clock.ts";

/** Interval at which the processor time is read: rest is found within two of them. */
const restCheckMs = 3_000;

/** Share of one core below which an agent is at rest. A first sync takes 0.1 or more, a quiet cluster 0.005. */
const restCpuShare = 0.05;

/** How a process was started. */
export interface StartedProcess {
  readonly platform: string;
  readonly execPath: string;
  readonly execArgv: readonly string[];
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** IPC channel to the parent process. It would be lost by a restart. */
  readonly channel?: unknown;
}

/** The program that replaces this process (execve). */
export interface Restart {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** `argv` starts with the program and the file. `agent manifest` is a separate verb. */
function isAgentVerb([, , verb, next]: readonly string[]): boolean {
  return verb === "agent" && next !== "manifest";
}

/**
 * How an agent started by hand is restarted with the malloc variables, which take effect only at process start.
 * Undefined if the process is not an agent on Linux, has an IPC channel, or already has one of the variables.
 */
export function findSmallRestart(started: StartedProcess): Restart | undefined {
  const { platform, execPath, execArgv, argv, env, channel } = started;
  if (platform !== "linux" || channel !== undefined || !isAgentVerb(argv)) return undefined;
  if (Object.keys(smallMallocVariables).some((name) => env[name] !== undefined)) return undefined;
  const given = Object.entries(env).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, value]],
  );
  return {
    file: execPath,
    args: [execPath, ...execArgv, ...argv.slice(1)],
    env: { ...Object.fromEntries(given), ...smallMallocVariables },
  };
}

/** Calls back once, after the first interval with little use of the processor: the first sync is over, or waits. */
export function onFirstRest(clock: Clock, cpuMs: () => number, atRest: () => void): void {
  const [startMs, startCpuMs] = [clock.nowMs(), cpuMs()];
  clock.setTimer(restCheckMs, () => {
    if (cpuMs() - startCpuMs < (clock.nowMs() - startMs) * restCpuShare) atRest();
    else onFirstRest(clock, cpuMs, atRest);
  });
}

/** Sets the flags of an agent at rest and returns the garbage of its first sync to the system, in some 100 ms. */
function reduceHeap(): void {
  for (const flag of restHeapFlags) setFlagsFromString(flag);
  setFlagsFromString("--expose-gc"); // counts for contexts that are created from now on
  runInNewContext('globalThis.gc?.({ type: "major", flavor: "last-resort" })');
}

/**
 * Reduces the memory use of an agent process (U-65). It may replace the process by execve with the same pid and
 * standard input, so call it before anything reads standard input.
 */
export function startSmall(started: NodeJS.Process): void {
  if (!isAgentVerb(started.argv)) return;
  const restart = findSmallRestart(started);
  if (restart !== undefined && started.execve !== undefined)
    started.execve(restart.file, [...restart.args], { ...restart.env });
  for (const flag of startHeapFlags) setFlagsFromString(flag);
  const cpuMs = (): number => {
    const { user, system } = started.cpuUsage();
    return (user + system) / 1_000;
  };
  onFirstRest(systemClock, cpuMs, reduceHeap);
}
