// SPDX-License-Identifier: Apache-2.0

import { toFlotillaError } from "../base/error.ts";
import { errorCodes } from "../base/error-codes.ts";
import { maskSecretText } from "../telemetry/redact.ts";
import { type Io, say } from "./io.ts";
import { toTerminalText } from "./terminal-text.ts";

/** Says why a verb failed, in one sentence (one line each where there are several mistakes), and gives the exit code for it. */
export function reportFailure(io: Io, reason: unknown): number {
  const error = toFlotillaError(reason);
  say(io, toSafeLines(error.message));
  // Somebody has to be able to report a bug; the stack says where it is and nothing of what was being worked on.
  if (error !== reason && error.cause instanceof Error) io.stderr.write(`${toSafeLines(error.cause.stack ?? "")}\n`);
  return errorCodes[error.code].exit;
}

function toSafeLines(text: string): string {
  return maskSecretText(text).split("\n").map(toTerminalText).join("\n");
}
