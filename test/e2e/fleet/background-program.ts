// SPDX-License-Identifier: Apache-2.0
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { root } from "../../../scripts/project.ts";
import { type ProgramResult, promptEnvironment, runProgram } from "../run-program.ts";

/** The program under test, run from its source. */
export const entry = join(root, "src/main/flotilla.ts");

/** Most text of a program that is kept; the beginning goes first. Enough for the log of any test here. */
const maxKeptLength = 4 * 1024 * 1024;

/** Agents take these from the environment: everything is judged sooner than by default, so that tests are short. */
export const quickPaces = {
  FLOTILLA_SYNC_INTERVAL: "2s",
  FLOTILLA_HEALTH_INTERVAL: "3s",
  // As long as a session may be silent: with less, a busy machine counts as a lost API server.
  FLOTILLA_HEALTH_TIMEOUT: "2s",
  FLOTILLA_RETRY_CAP: "1s",
  FLOTILLA_RECONNECT_CAP: "1s",
};

/** Runs a verb to its end. */
export function flotilla(
  cwd: string,
  args: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): Promise<ProgramResult> {
  return runProgram(process.execPath, [entry, ...args], { cwd, env: { ...promptEnvironment(), ...variables } });
}

/** How a program is begun. */
export interface ProgramStart {
  readonly cwd: string;
  readonly args: readonly string[];
  readonly variables?: Readonly<Record<string, string>>;
  /** What Node itself is told before the entry. */
  readonly nodeFlags?: readonly string[];
  /** The file that is run. Default: the source. */
  readonly program?: string;
}

/** A Flotilla process that serves until it is ended. End it, or it stays. */
export class BackgroundProgram {
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;
  readonly #closed: Promise<unknown>;
  #stdout = "";
  #stderr = "";

  constructor({ cwd, args, variables = {}, nodeFlags = [], program = entry }: ProgramStart) {
    const env = { ...promptEnvironment(), ...variables };
    const child = spawn(process.execPath, [...nodeFlags, program, ...args], {
      cwd,
      env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      this.#stdout = (this.#stdout + text).slice(-maxKeptLength);
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-maxKeptLength);
    });
    this.#child = child;
    this.#exited = once(child, "exit");
    this.#closed = once(child, "close");
  }

  get pid(): number {
    if (this.#child.pid === undefined) throw new Error("the program did not start");
    return this.#child.pid;
  }

  get stdout(): string {
    return this.#stdout;
  }

  get stderr(): string {
    return this.#stderr;
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** Lines of the log that have this message. The last piece of what was read is no whole line yet, or empty. */
  logged(message: string): readonly Readonly<Record<string, unknown>>[] {
    const lines = this.#stderr.split("\n").slice(0, -1);
    return lines.flatMap((line) => {
      if (!line.includes(message)) return [];
      const value: unknown = JSON.parse(line);
      return typeof value === "object" && value !== null && "msg" in value && value.msg === message
        ? [{ ...value }]
        : [];
    });
  }

  /** The process ids of the agents that it has begun for a cluster. */
  agentPids(cluster: string): readonly number[] {
    const lines = execFileSync("ps", ["-A", "-o", "pid=,ppid=,args="], { encoding: "utf8" }).split("\n");
    return lines.flatMap((line) => {
      const [pid, parent, ...words] = line.trim().split(/\s+/);
      const isOurs = parent === String(this.pid) && words.includes("agent") && words.includes(cluster);
      return isOurs ? [Number(pid)] : [];
    });
  }

  /** Resolves with standard output once it holds this text; rejects with what the program said if it ends before. */
  async untilSays(text: string): Promise<string> {
    while (!this.#stdout.includes(text)) {
      if (this.hasEnded) throw new Error(`the program ended without saying ${text}: ${this.#stderr.slice(-2_000)}`);
      const news = this.#child.stdout === null ? this.#exited : once(this.#child.stdout, "data");
      await Promise.race([news, this.#exited]);
    }
    return this.#stdout;
  }

  /**
   * Ends it with that signal and waits until it is gone; a process that it began may hold its output open longer. The
   * exit code, or null where the signal ended it.
   */
  async end(signal: NodeJS.Signals = "SIGTERM"): Promise<number | null> {
    if (!this.hasEnded) this.#child.kill(signal);
    await this.#exited;
    return this.#child.exitCode;
  }

  /** Waits until it ends by itself and all it said was read. The exit code, or null where a signal ended it. */
  async ended(): Promise<number | null> {
    await this.#closed;
    return this.#child.exitCode;
  }

  /** Freezes it (SIGSTOP) or lets it go on (SIGCONT). */
  send(signal: "SIGSTOP" | "SIGCONT"): void {
    this.#child.kill(signal);
  }
}
