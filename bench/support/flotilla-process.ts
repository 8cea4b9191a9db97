// SPDX-License-Identifier: Apache-2.0
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

/** Text of a process that is kept; the beginning goes first. */
const maxKeptLength = 1024 * 1024;

// A bench that is ended takes its processes with it; Node tells nobody of an exit by signal unless it is asked to.
process.once("SIGTERM", () => process.exit(143));
process.once("SIGINT", () => process.exit(130));

/** How a process is begun: flags of Node, the program, its words. */
export interface ProcessStart {
  readonly command?: string;
  readonly args: readonly string[];
  readonly cwd: string;
}

/** A process of its own that serves until it is ended. End it, or it stays. */
export class FlotillaProcess implements AsyncDisposable {
  readonly startedMs = performance.now();
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;
  #text = "";

  constructor({ command = process.execPath, args, cwd }: ProcessStart) {
    const child = spawn(command, args, {
      cwd,
      stdio: ["pipe", "pipe", "pipe"],
      env: { PATH: process.env["PATH"] ?? "" },
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        this.#text = (this.#text + text).slice(-maxKeptLength);
      });
    }
    this.#child = child;
    const kill = (): void => void child.kill("SIGKILL");
    process.once("exit", kill);
    this.#exited = once(child, "exit").then(() => process.off("exit", kill));
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** The last of what it said. */
  get text(): string {
    return this.#text;
  }

  /** Resolves with the milliseconds since its start, once it has said this. Rejects if it ends before. */
  async untilSays(text: string): Promise<number> {
    while (!this.#text.includes(text)) {
      if (this.#child.exitCode !== null) throw new Error(`the process ended without saying "${text}": ${this.#text}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    return performance.now() - this.startedMs;
  }

  /** Ends it and waits until it is gone. */
  async end(signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) this.#child.kill(signal);
    await this.#exited;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
  }
}
