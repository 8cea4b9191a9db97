// SPDX-License-Identifier: Apache-2.0
import type { Io } from "../io.ts";

/** Time of every test of the command line. */
export const testNowMs = Date.UTC(2026, 0, 31, 12);

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
