// SPDX-License-Identifier: Apache-2.0
// Paths of the repository, and functions that run other programs. Independent of any single step.
import { spawn } from "node:child_process";
import { constants } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";

/** The root folder of the repository. */
export const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");

/** The entry file of a tool in node_modules. All tools are JavaScript, so any Node can run them. */
export function toolPath(name: string): string {
  return join(root, "node_modules", ".bin", name);
}

/** The environment for tools: the Node that runs this script and node_modules/.bin come first on PATH. */
export function toolEnvironment(): NodeJS.ProcessEnv {
  const path = [dirname(process.execPath), join(root, "node_modules", ".bin"), process.env["PATH"] ?? ""];
  return { ...process.env, PATH: path.join(delimiter) };
}

/** The result of one program. */
export interface Finished {
  /** The exit code; 128 + the signal number if a signal ended it, like in a shell. */
  readonly code: number;
  /** Output of both streams, in order of arrival and without colours; empty if they were inherited. */
  readonly output: string;
  readonly tookMs: number;
  /** True if it was killed after `limitMs`. */
  readonly timedOut: boolean;
}

/**  */
export interface RunOptions {
  /** Default: the repository root. */
  readonly cwd?: string;
  /** `capture` (default) returns the output to the caller; `inherit` passes it through. */
  readonly output?: "capture" | "inherit";
  /** The program is killed after this time. */
  readonly limitMs?: number;
  /** Called with each complete line of standard output, without its newline; only with `capture`. */
  readonly onLine?: (line: string) => void;
  /** Called with standard error as it arrives; only with `capture`. */
  readonly onErrorText?: (text: string) => void;
}

/** Runs a JavaScript or TypeScript file with the Node that runs this one. Does not reject if the program fails. */
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
