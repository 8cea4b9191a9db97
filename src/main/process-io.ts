// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../base/error.ts";
import { systemClock } from "../base/system-clock.ts";
import type { Io } from "../cli/io.ts";

/** The process's own standard streams and environment. */
export interface ProcessIo {
  readonly io: Io;
  /** Waits until standard output has taken everything. Gives why it could not, unless its reader just left (`| head`). */
  readonly flush: () => Promise<FlotillaError | undefined>;
}

/** `onOutputEnd` is called once nobody can take output any more, so that a verb that only prints can stop. */
export function openProcessIo(onOutputEnd: (reason: Error) => void): ProcessIo {
  let first: NodeJS.ErrnoException | undefined;
  process.stdout.on("error", (reason: NodeJS.ErrnoException) => {
    first ??= reason;
    onOutputEnd(reason);
  });
  // There is no other place to say that this one is gone.
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
      // The callback comes before the event of the same failure.
      process.stdout.write("", (reason) => resolve(toFailure(first ?? reason ?? undefined)));
    });
  return { io, flush };
}

/** Ctrl-C reaches the signal's owner as always: the question is not asked in raw mode. */
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
