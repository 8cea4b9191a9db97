// SPDX-License-Identifier: Apache-2.0
import { spawn } from "node:child_process";
import { dirname } from "node:path";

/** How a program ended and what it said. */
export interface ProgramResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Where and how a program is run. */
export interface ProgramOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** For a program that serves until told to stop: once this was printed it gets SIGTERM. */
  readonly stopAfter?: string;
}

/** Runs a program to its end, without input. Rejects only if it cannot be started. */
export function runProgram(
  command: string,
  args: readonly string[],
  { cwd, env, stopAfter }: ProgramOptions,
): Promise<ProgramResult> {
  return new Promise((done, fail) => {
    const child = spawn(command, [...args], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      const wasUp = stopAfter !== undefined && stdout.includes(stopAfter);
      stdout += text;
      if (stopAfter !== undefined && !wasUp && stdout.includes(stopAfter)) child.kill("SIGTERM");
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    child.once("error", fail);
    child.once("close", (code) => done({ code, stdout, stderr }));
  });
}

/**
 * The environment of a new shell in which `node` is the Node of this test. Variables that an outer `npm test` adds are
 * removed; settings of registry, proxy and cache stay.
 */
export function promptEnvironment(firstOnPath: readonly string[] = []): NodeJS.ProcessEnv {
  const kept = /^npm_config_(?:registry|cache|userconfig|.*proxy|cafile)$/i;
  const own = Object.entries(process.env).filter(([name]) => kept.test(name) || !/^npm_|^INIT_CWD$|^NODE_/i.test(name));
  const path = [...firstOnPath, dirname(process.execPath), process.env["PATH"] ?? ""].join(":");
  return { ...Object.fromEntries(own), PATH: path };
}
