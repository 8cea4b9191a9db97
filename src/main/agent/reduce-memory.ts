// SPDX-License-Identifier: Apache-2.0
import { setFlagsFromString } from "node:v8";
import { smallHeapFlags, smallMallocVariables } from "../../agent/small-process.ts";

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

/**
 * Reduces the memory use of an agent process (U-65). It may replace the process by execve with the same pid and
 * standard input, so call it before anything reads standard input.
 */
export function startSmall(started: NodeJS.Process): void {
  if (!isAgentVerb(started.argv)) return;
  const restart = findSmallRestart(started);
  if (restart !== undefined && started.execve !== undefined)
    started.execve(restart.file, [...restart.args], { ...restart.env });
  for (const flag of smallHeapFlags) setFlagsFromString(flag);
}
