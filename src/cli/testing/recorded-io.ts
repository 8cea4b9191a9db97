// SPDX-License-Identifier: Apache-2.0
import { throwIfAborted } from "../../base/abort.ts";
import type { Clock } from "../../base/time/clock.ts";
import type { Io } from "../output/io.ts";

/** Wall clock time of all command line tests. */
export const testNowMs = Date.UTC(2026, 0, 31, 12);

/** A clock whose sleeps return at once, for verbs that wait between retries. */
export const instantClock: Clock = {
  nowMs: () => 0,
  wallMs: () => testNowMs,
  setTimer: () => () => undefined,
  sleep: async (_delayMs, signal) => throwIfAborted(signal),
};

/** An Io that keeps what was written. */
export interface RecordedIo {
  readonly io: Io;
  stdout(): string;
  stderr(): string;
}

export function recordIo(env: Io["env"] = {}): RecordedIo {
  const written = { stdout: "", stderr: "" };
  const outputTo = (name: "stdout" | "stderr") => ({
    write: (text: string) => {
      written[name] += text;
    },
    isTerminal: false,
  });
  return {
    io: { stdout: outputTo("stdout"), stderr: outputTo("stderr"), env, now: () => testNowMs },
    stdout: () => written.stdout,
    stderr: () => written.stderr,
  };
}
