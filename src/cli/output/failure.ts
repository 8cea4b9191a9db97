// SPDX-License-Identifier: Apache-2.0

import { toFlotillaError } from "../../base/error.ts";
import { errorCodes } from "../../base/error-codes.ts";
import { maskSecretText } from "../../telemetry/redact.ts";
import { type Io, say } from "./io.ts";
import { toTerminalText } from "./terminal-text.ts";

/** Prints why a verb failed, in one sentence (one line per mistake if there are several), and returns the exit code. */
export function reportFailure(io: Io, reason: unknown): number {
  const error = toFlotillaError(reason);
  say(io, toSafeLines(error.message));
  // The stack is needed to report a bug. It contains code locations and no user data.
  if (error !== reason && error.cause instanceof Error) io.stderr.write(`${toSafeLines(error.cause.stack ?? "")}\n`);
  return errorCodes[error.code].exit;
}

function toSafeLines(text: string): string {
  return maskSecretText(text).split("\n").map(toTerminalText).join("\n");
}
