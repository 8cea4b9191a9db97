// SPDX-License-Identifier: Apache-2.0
import { type ErrorCode, errorCodes, type NextMove } from "./error-codes.ts";

/** Ids that say what a failure is about: cluster, table, requestId. Values are safe to log and to show. */
export type ErrorIds = Readonly<Record<string, string | number>>;

/**
 * A failure somebody can act on: a stable `code`, the next move, one sentence for people. `message` is safe to show to
 * the caller; `cause` is for logs only. Foreign errors become this once, in the adapter that met them.
 */
export class FlotillaError extends Error {
  override readonly name = "FlotillaError";
  readonly code: ErrorCode;
  readonly ids: ErrorIds;

  constructor(code: ErrorCode, message: string, options: { readonly cause?: unknown; readonly ids?: ErrorIds } = {}) {
    super(message, "cause" in options ? { cause: options.cause } : undefined);
    this.code = code;
    this.ids = options.ids ?? {};
  }

  get next(): NextMove {
    return errorCodes[this.code].next;
  }
}

/** The FlotillaError inside `reason`, or an INTERNAL one around it that shows nothing of what it wraps. */
export function toFlotillaError(reason: unknown): FlotillaError {
  if (reason instanceof FlotillaError) return reason;
  return new FlotillaError("INTERNAL", "an unforeseen failure", { cause: reason });
}

/** True for a FlotillaError of that code; the only test on errors that callers need. */
export function hasCode(reason: unknown, code: ErrorCode): reason is FlotillaError {
  return reason instanceof FlotillaError && reason.code === code;
}
