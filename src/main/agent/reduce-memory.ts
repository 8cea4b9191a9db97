// SPDX-License-Identifier: Apache-2.0
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { busyHeapFlags, heapFlags, restHeapFlags, smallMallocVariables } from "../../agent/small-process.ts";
import type { Clock } from "../../base/time/clock.ts";
import { systemClock } from "../../base/time/system-clock.ts";

/** Interval at which the processor time is read: rest is found within two of them. */
const checkMs = 3_000;

/** Share of one core below which an agent is at rest. A quiet cluster takes 0.005. */
const restCpuShare = 0.05;

/** Share of one core from which an agent at rest is busy again. A list takes more, changes of most clusters less. */
const busyCpuShare = 0.25;

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

/** Calls back at each change between busy and at rest. A process begins busy. */
export function watchLoad(clock: Clock, cpuMs: () => number, onChange: (isBusy: boolean) => void): void {
  let isBusy = true;
  let [fromMs, fromCpuMs] = [clock.nowMs(), cpuMs()];
  const check = (): void => {
    const [nowMs, nowCpuMs] = [clock.nowMs(), cpuMs()];
    const share = (nowCpuMs - fromCpuMs) / (nowMs - fromMs);
    [fromMs, fromCpuMs] = [nowMs, nowCpuMs];
    if (isBusy ? share < restCpuShare : share >= busyCpuShare) {
      isBusy = !isBusy;
      onChange(isBusy);
    }
    clock.setTimer(checkMs, check);
  };
  clock.setTimer(checkMs, check);
}

/** At rest, the garbage of the busy time is returned to the system, which takes some 100 ms. */
function setHeapFlags(isBusy: boolean): void {
  for (const flag of isBusy ? busyHeapFlags : restHeapFlags) setFlagsFromString(flag);
  if (isBusy) return;
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
  for (const flag of heapFlags) setFlagsFromString(flag);
  setHeapFlags(true);
  const cpuMs = (): number => {
    const { user, system } = started.cpuUsage();
    return (user + system) / 1_000;
  };
  watchLoad(systemClock, cpuMs, setHeapFlags);
}
