// SPDX-License-Identifier: Apache-2.0
import { type ChildProcess, spawn } from "node:child_process";
import { basename } from "node:path";
import type { Clock } from "../../src/base/time/clock.ts";

/** The end of a program's output that is kept: some hundred lines, which hold the reason of a failed start. */
const keptOutputLength = 32_768;

/** Everything started here and not yet ended; killed if this process ends first. */
const running = new Set<ChildProcess>();

function killAll(): void {
  for (const child of running) child.kill("SIGKILL");
}

function keepTrack(child: ChildProcess): void {
  if (running.size === 0) process.on("exit", killAll);
  running.add(child);
}

function forget(child: ChildProcess): void {
  running.delete(child);
  if (running.size === 0) process.off("exit", killAll);
}

/**
 * One program of the kit, from its start to its end. Its output is read all the time and only the end of it is kept.
 */
export class KitProcess {
  readonly name: string;
  /** Resolves when the program has ended and all its output was read. Never rejects. */
  readonly closed: Promise<void>;
  readonly #child: ChildProcess;
  #output = "";
  #ending: string | undefined;
  #isStopping = false;

  constructor(program: string, args: readonly string[], folder: string) {
    this.name = basename(program);
    // What the machine's user has set (proxies, kubeconfig, Go's debug switches) must not reach what is under test.
    const env = { PATH: process.env["PATH"] ?? "", HOME: folder, TMPDIR: folder };
    this.#child = spawn(program, [...args], { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
    keepTrack(this.#child);
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.#output = `${this.#output}${text}`.slice(-keptOutputLength);
      });
    }
    this.closed = new Promise<void>((done) => {
      this.#child.once("error", (error) => {
        this.#ending ??= `could not be started: ${error.message}`;
        if (this.#child.pid === undefined) done();
      });
      this.#child.once("close", (code, signal) => {
        this.#ending ??= signal === null ? `ended with code ${code}` : `was ended by ${signal}`;
        done();
      });
    }).then(() => forget(this.#child));
  }

  /** Its process id; 0 if it could not be started. */
  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** The end of what it has written so far. */
  get output(): string {
    return this.#output;
  }

  /** Whether it has ended; what it said last may still be on its way, until `closed`. */
  get hasEnded(): boolean {
    return this.#ending !== undefined || this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** How it ended, with what it said last, if it ended without `stop` having been called. Known when it is `closed`. */
  get failure(): string | undefined {
    if (this.#ending === undefined || this.#isStopping) return undefined;
    return `${this.name} ${this.#ending}; the end of its output:\n${this.#output.trimEnd()}`;
  }

  /** Asks it to end, insists after `limitMs`, and waits until it is gone. */
  async stop(clock: Clock, limitMs: number): Promise<void> {
    if (!this.hasEnded) this.#isStopping = true;
    this.#child.kill("SIGTERM");
    const cancel = clock.setTimer(limitMs, () => this.#child.kill("SIGKILL"));
    await this.closed;
    cancel();
  }
}
