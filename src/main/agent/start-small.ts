// SPDX-License-Identifier: Apache-2.0
import { setFlagsFromString } from "node:v8";
import { smallHeapFlags, smallMallocVariables } from "../../agent/small-process.ts";

/** What of a process says how it was started. */
export interface StartedProcess {
  readonly platform: string;
  readonly execPath: string;
  readonly execArgv: readonly string[];
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** A channel to the process that started it, which another program in its place would not have. */
  readonly channel?: unknown;
}

/** A program that takes the place of this process. */
export interface Restart {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Of a whole command line: the program and the file come first. `agent manifest` is a verb of its own. */
function isAgentVerb([, , verb, next]: readonly string[]): boolean {
  return verb === "agent" && next !== "manifest";
}

/**
 * How an agent that somebody runs by hand is started again, the same but for the variables that count at the start only. Undefined where it is
 * no agent, where a variable is set already, to ours or to what the operator wants, and where they have no meaning.
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
 * Keeps the process small if it is an agent's (U-65). It may put itself anew in its own place: the same process to whoever started it, with the
 * same standard input, which nobody may have read yet. So call it first.
 */
export function startSmall(started: NodeJS.Process): void {
  if (!isAgentVerb(started.argv)) return;
  const restart = findSmallRestart(started);
  if (restart !== undefined && started.execve !== undefined)
    started.execve(restart.file, [...restart.args], { ...restart.env });
  for (const flag of smallHeapFlags) setFlagsFromString(flag);
}
