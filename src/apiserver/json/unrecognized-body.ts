// SPDX-License-Identifier: Apache-2.0
import { ApiError } from "../status/api-error.ts";

/** The number of bytes of a body in kube-apiserver's refusal. */
const shownByteCount = 30;

/** The refusal of a body whose apiVersion and kind cannot be read. */
export class UnrecognizedBody extends ApiError {
  /** The error without its context. */
  readonly problem: string;

  constructor(message: string, problem: string) {
    super(400, "BadRequest", message);
    this.problem = problem;
  }
}

/** The refusal for a body that should be of that kind. */
export function unrecognizedBody(kind: string, problem: string, body: string): UnrecognizedBody {
  const message = `the object provided is unrecognized (must be of type ${kind}): ${problem} (${summarize(body)})`;
  return new UnrecognizedBody(message, problem);
}

function summarize(body: string): string {
  // A UTF-16 unit has at least one byte in UTF-8, so this part contains enough bytes.
  return summarizeBytes(new TextEncoder().encode(body.slice(0, shownByteCount + 1)));
}

/** The start of a body: as text if it may be a JSON object, otherwise in hexadecimal. */
export function summarizeBytes(bytes: Uint8Array): string {
  if (bytes.length === 0) return "<empty>";
  const shown = bytes.subarray(0, shownByteCount);
  const text = bytes[0] === 0x7b ? new TextDecoder().decode(shown) : toHex(shown);
  return bytes.length > shownByteCount ? `${text} ...` : text;
}

function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
