// SPDX-License-Identifier: Apache-2.0
// Where things are in the repository, and how the scripts run another program. Nothing here knows what a step is for.
import { spawn } from "node:child_process";
import { constants } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";

/** The root folder of the repository. */
export const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");

/** The entry file of a tool installed in node_modules; every one we use is JavaScript, so any Node can run it. */
export function toolPath(name: string): string {
  return join(root, "node_modules", ".bin", name);
}

/** The environment in which the tools find each other and the Node that runs this script, before any other of the machine. */
export function toolEnvironment(): NodeJS.ProcessEnv {
  const path = [dirname(process.execPath), join(root, "node_modules", ".bin"), process.env["PATH"] ?? ""];
  return { ...process.env, PATH: path.join(delimiter) };
}

/** How one program ended. */
export interface Finished {
  /** The exit code; 128 + the signal's number where a signal ended it, as a shell reports it. */
  readonly code: number;
  /** What it wrote to both outputs, in order of arrival and without colours; empty where they were inherited. */
  readonly output: string;
  readonly tookMs: number;
  /** True if it was ended because `limitMs` had passed. */
  readonly timedOut: boolean;
}

/** What a run may be given besides its arguments. */
export interface RunOptions {
  /** Default: the repository root. */
  readonly cwd?: string;
  /** `capture` (default) keeps the output for the caller; `inherit` shows it as it comes. */
  readonly output?: "capture" | "inherit";
  /** After this long the program is killed. */
  readonly limitMs?: number;
  /** Called with each whole line of standard output, without its end; only with `capture`. */
  readonly onLine?: (line: string) => void;
  /** Called with standard error as it comes; only with `capture`. */
  readonly onErrorText?: (text: string) => void;
}

/** Runs a JavaScript or TypeScript file with the Node that runs this one. Never rejects for what the program did. */
export async function runNode(args: readonly string[], options: RunOptions = {}): Promise<Finished> {
  const startedMs = performance.now();
  const inherit = options.output === "inherit";
  const child = spawn(process.execPath, [...args], {
    cwd: options.cwd ?? root,
    env: inherit ? toolEnvironment() : { ...toolEnvironment(), NO_COLOR: "1", FORCE_COLOR: undefined },
    stdio: inherit ? "inherit" : ["ignore", "pipe", "pipe"],
  });
  let output = "";
  let pending = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    output += text;
    const lines = `${pending}${text}`.split("\n");
    pending = lines.pop() ?? "";
    for (const line of lines) options.onLine?.(line);
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    output += text;
    options.onErrorText?.(text);
  });
  let timedOut = false;
  const limit =
    options.limitMs === undefined
      ? undefined
      : setTimeout(() => {
          timedOut = true;
          child.kill("SIGKILL");
        }, options.limitMs);
  const code = await new Promise<number>((done, fail) => {
    child.once("error", fail);
    child.once("close", (exitCode, signal) =>
      done(exitCode ?? 128 + (signal === null ? 0 : (constants.signals[signal] ?? 0))),
    );
  });
  clearTimeout(limit);
  if (pending !== "") options.onLine?.(pending);
  return { code, output: stripVTControlCharacters(output), tookMs: performance.now() - startedMs, timedOut };
}

/** Runs a tool of node_modules by name. */
export function runTool(name: string, args: readonly string[], options: RunOptions = {}): Promise<Finished> {
  return runNode([toolPath(name), ...args], options);
}
