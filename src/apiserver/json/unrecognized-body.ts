// SPDX-License-Identifier: Apache-2.0
import { ApiError } from "../status/api-error.ts";

/** How many bytes of a body the real server shows in its refusal. */
const shownByteCount = 30;

/** The refusal of a body in which not even apiVersion and kind can be read. */
export class UnrecognizedBody extends ApiError {
  /** What is wrong, without saying with what. */
  readonly problem: string;

  constructor(message: string, problem: string) {
    super(400, "BadRequest", message);
    this.problem = problem;
  }
}

/** The same, for a body that should have been of that kind. */
export function unrecognizedBody(kind: string, problem: string, body: string): UnrecognizedBody {
  const message = `the object provided is unrecognized (must be of type ${kind}): ${problem} (${summarize(body)})`;
  return new UnrecognizedBody(message, problem);
}

function summarize(body: string): string {
  // A character has at most three bytes for each UTF-16 unit, so this part is enough to cut bytes from.
  return summarizeBytes(new TextEncoder().encode(body.slice(0, shownByteCount + 1)));
}

/** The beginning of a body: as it is if it may be a JSON object, else in hexadecimal. */
export function summarizeBytes(bytes: Uint8Array): string {
  if (bytes.length === 0) return "<empty>";
  const shown = bytes.subarray(0, shownByteCount);
  const text = bytes[0] === 0x7b ? new TextDecoder().decode(shown) : toHex(shown);
  return bytes.length > shownByteCount ? `${text} ...` : text;
}

function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
