// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";
import { systemClock } from "../../base/time/system-clock.ts";
import type { Io } from "../../cli/output/io.ts";

/** The process's own standard streams and environment. */
export interface ProcessIo {
  readonly io: Io;
  /** Waits until standard output is written. Returns the error, unless its reader just closed the pipe (`| head`). */
  readonly flush: () => Promise<FlotillaError | undefined>;
}

/** `onOutputEnd` is called when standard output fails, so that a verb that only prints can stop. */
export function openProcessIo(onOutputEnd: (reason: Error) => void): ProcessIo {
  let first: NodeJS.ErrnoException | undefined;
  process.stdout.on("error", (reason: NodeJS.ErrnoException) => {
    first ??= reason;
    onOutputEnd(reason);
  });
  // A failure of standard error cannot be reported anywhere.
  process.stderr.on("error", () => undefined);
  const io: Io = {
    stdout: { write: (text) => void process.stdout.write(text), isTerminal: process.stdout.isTTY },
    stderr: { write: (text) => void process.stderr.write(text), isTerminal: process.stderr.isTTY },
    env: process.env,
    now: () => systemClock.wallMs(),
    ...(process.stdin.isTTY && process.stderr.isTTY ? { ask: askTerminal } : {}),
  };
  const flush = (): Promise<FlotillaError | undefined> =>
    new Promise((resolve) => {
      // The callback runs before the `error` event of the same failure.
      process.stdout.write("", (reason) => resolve(toFailure(first ?? reason ?? undefined)));
    });
  return { io, flush };
}

/** Not in raw mode, so that Ctrl-C still raises SIGINT. */
async function askTerminal(question: string, signal: AbortSignal): Promise<string> {
  const { createInterface } = await import("node:readline/promises");
  using lines = createInterface({ input: process.stdin, output: process.stderr, terminal: false });
  const closed = new Promise<string>((resolve) => lines.once("close", () => resolve("")));
  return await Promise.race([lines.question(question, { signal }), closed]);
}

function toFailure(reason: NodeJS.ErrnoException | undefined): FlotillaError | undefined {
  if (reason === undefined || reason.code === "EPIPE") return undefined;
  const why = reason.code ?? reason.message;
  return new FlotillaError("INTERNAL", `the output could not be written (${why})`, { cause: reason });
}
