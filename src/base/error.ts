// SPDX-License-Identifier: Apache-2.0
import { type ErrorCode, errorCodes, type NextMove } from "./error-codes.ts";

/** Ids of the objects that an error concerns: cluster, table, requestId. Values are safe to log and to show. */
export type ErrorIds = Readonly<Record<string, string | number>>;

/**
 * An expected failure: a stable `code`, the next move, one sentence for people. `message` is safe to show to the
 * caller; `cause` is for logs only. Foreign errors are converted once, in the adapter that caught them.
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

/**
 * `reason` if it is a FlotillaError, otherwise an INTERNAL error with `reason` as its cause and no details in its
 * message.
 */
export function toFlotillaError(reason: unknown): FlotillaError {
  if (reason instanceof FlotillaError) return reason;
  return new FlotillaError("INTERNAL", "unexpected internal error", { cause: reason });
}

/** True for a FlotillaError with that code; callers need no other test on errors. */
export function hasCode(reason: unknown, code: ErrorCode): reason is FlotillaError {
  return reason instanceof FlotillaError && reason.code === code;
}
