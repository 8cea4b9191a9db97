// SPDX-License-Identifier: Apache-2.0
import { spawn } from "node:child_process";

/** The program to run, and how much of its output is kept. */
export interface ProgramRun {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** More output than this ends the program. */
  readonly outputBoundBytes: number;
  /** The first bytes of standard error that are kept. The rest is read and dropped. */
  readonly errorBoundBytes: number;
}

/** How a program ended. */
export type ProgramEnd =
  | { readonly kind: "exited"; readonly code: number | null; readonly output: string; readonly errorText: string }
  | { readonly kind: "tooMuch" }
  /** It could not be started; `code` is the system's. */
  | { readonly kind: "notStarted"; readonly code: string };

/**
 * Runs a program without input until it ends. If the signal aborts, the program is killed and the promise rejects with
 * the signal's reason. When the promise settles, the program has ended. Its children that hold its output open are not
 * waited for.
 */
export async function runProgram(run: ProgramRun, signal: AbortSignal): Promise<ProgramEnd> {
  const { promise, resolve, reject } = Promise.withResolvers<ProgramEnd>();
  const child = spawn(run.command, run.args, { env: run.env, stdio: ["ignore", "pipe", "pipe"], windowsHide: true });
  const output = new OutputHead(run.outputBoundBytes);
  const errors = new OutputHead(run.errorBoundBytes);
  const end = (settle: () => void): void => {
    signal.removeEventListener("abort", onAbort);
    const isRunning = child.pid !== undefined && child.exitCode === null && child.signalCode === null;
    if (isRunning) child.once("exit", settle);
    else settle();
    child.kill("SIGKILL");
    child.stdout.destroy();
    child.stderr.destroy();
  };
  const onAbort = (): void => end(() => reject(signal.reason));
  child.stdout.on("data", (chunk: Buffer) => {
    if (!output.add(chunk)) end(() => resolve({ kind: "tooMuch" }));
  });
  child.stderr.on("data", (chunk: Buffer) => errors.add(chunk));
  child.once("error", (reason: NodeJS.ErrnoException) => {
    end(() => resolve({ kind: "notStarted", code: reason.code ?? "unknown" }));
  });
  child.once("close", (code) => {
    end(() => resolve({ kind: "exited", code, output: output.text(), errorText: errors.text() }));
  });
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  return await promise;
}

/** The first bytes of an output. */
class OutputHead {
  readonly #boundBytes: number;
  readonly #parts: Buffer[] = [];
  #sizeBytes = 0;

  constructor(boundBytes: number) {
    this.#boundBytes = boundBytes;
  }

  /** False if part of the chunk did not fit. */
  add(chunk: Buffer): boolean {
    const room = this.#boundBytes - this.#sizeBytes;
    const kept = chunk.subarray(0, Math.max(0, room));
    if (kept.length > 0) this.#parts.push(kept);
    this.#sizeBytes += kept.length;
    return kept.length === chunk.length;
  }

  text(): string {
    return Buffer.concat(this.#parts).toString("utf8");
  }
}
