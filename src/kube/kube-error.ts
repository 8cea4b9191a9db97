// SPDX-License-Identifier: Apache-2.0

import { FlotillaError } from "../base/error.ts";
import type { ErrorCode } from "../base/error-codes.ts";
import { longestRetryAfterMs } from "../base/time/backoff.ts";

/** How a request to an API server failed (KU4). Health and kind status depend on this, never on text. */
export type KubeFault =
  | "dns"
  | "tcp"
  | "timeout"
  | "tls"
  | "unauthorized"
  | "forbidden"
  | "notFound"
  | "conflict"
  | "expired"
  | "overloaded"
  | "serverError"
  | "malformed"
  | "refused";

const codeOf: Readonly<Record<KubeFault, ErrorCode>> = {
  dns: "UNAVAILABLE",
  tcp: "UNAVAILABLE",
  timeout: "DEADLINE_EXCEEDED",
  tls: "CERTIFICATE_INVALID",
  unauthorized: "UNAUTHENTICATED",
  forbidden: "PERMISSION_DENIED",
  notFound: "NOT_FOUND",
  conflict: "CONFLICT",
  expired: "GONE",
  overloaded: "OVERLOADED",
  serverError: "UNAVAILABLE",
  malformed: "MALFORMED",
  refused: "INVALID_ARGUMENT",
};

const faultByStatus: ReadonlyMap<number, KubeFault> = new Map([
  [401, "unauthorized"],
  [403, "forbidden"],
  [404, "notFound"],
  [409, "conflict"],
  [410, "expired"],
  [429, "overloaded"],
]);

/** The fault of an HTTP status (KU4). Retry-After counts if the status itself maps to no specific fault. */
export function faultOfStatus(status: number, retryAfterMs = 0): KubeFault {
  const exact = faultByStatus.get(status);
  if (exact !== undefined) return exact;
  if (status < 400) return "malformed";
  if (retryAfterMs > 0) return "overloaded";
  return status >= 500 ? "serverError" : "refused";
}

export interface KubeErrorOptions {
  readonly cause?: unknown;
  /** The HTTP status, if there was an answer. */
  readonly status?: number;
  /** The wait that the server asked for; 0 if none. Capped at one hour. */
  readonly retryAfterMs?: number;
  /** The server's own message, if any. */
  readonly serverMessage?: string | undefined;
}

/** A failed request to an API server. Its message names the request and holds no credential (KU9). */
export class KubeError extends FlotillaError {
  readonly fault: KubeFault;
  readonly status: number | undefined;
  readonly retryAfterMs: number;
  readonly serverMessage: string | undefined;

  constructor(fault: KubeFault, message: string, options: KubeErrorOptions = {}) {
    super(codeOf[fault], message, "cause" in options ? { cause: options.cause } : {});
    this.fault = fault;
    this.status = options.status;
    this.serverMessage = options.serverMessage;
    this.retryAfterMs = Math.min(options.retryAfterMs ?? 0, longestRetryAfterMs);
  }
}

/**
 * Faults of the whole server: unreachable, or it rejects our credential. The other faults concern one request.
 */
const serverFaults: ReadonlySet<KubeFault> = new Set(["dns", "tcp", "timeout", "tls", "unauthorized"]);

/** True if the whole API server is in doubt, not only one resource: a reason to probe at once. */
export function isServerFault(fault: KubeFault): boolean {
  return serverFaults.has(fault);
}
