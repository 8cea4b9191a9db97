// SPDX-License-Identifier: Apache-2.0
// The table of error codes and their meaning for every kind of caller. `docs/reference/errors.md` is generated from it.

/**
 * What the caller should do next. `retry`: send the same call after a delay; `resume`: reconnect and continue from the
 * last position; `relist`: the position has expired, start again from a list; `reauth`: get a new credential; `stop`:
 * the same call can never succeed.
 */
export type NextMove = "retry" | "resume" | "relist" | "reauth" | "stop";

/** One error on each surface. */
export interface ErrorCodeSpec {
  readonly next: NextMove;
  /** The Connect and gRPC code, by its wire name. */
  readonly connect: string;
  readonly http: number;
  /** `reason` of a Kubernetes Status. */
  readonly kubernetes: string;
  /**
   * Exit code of the CLI: 1 failure, 2 wrong call or configuration, 3 not found, 4 not allowed, 5 unavailable, 6
   * conflict, 7 corrupt data or unsupported version, 8 partial answer.
   */
  readonly exit: number;
  /** One line for the reference page. */
  readonly means: string;
}

function spec(
  next: NextMove,
  connect: string,
  http: number,
  kubernetes: string,
  exit: number,
  means: string,
): ErrorCodeSpec {
  return { next, connect, http, kubernetes, exit, means };
}

/** Codes are stable: a code is never renamed or reused. */
export const errorCodes = {
  INVALID_ARGUMENT: spec(
    "stop",
    "invalid_argument",
    400,
    "BadRequest",
    2,
    "A value in the request is not acceptable; the message names it.",
  ),
  CONFIG_INVALID: spec(
    "stop",
    "invalid_argument",
    400,
    "Invalid",
    2,
    "Options, variables or the configuration file contain mistakes; the message lists all of them.",
  ),
  NOT_FOUND: spec("stop", "not_found", 404, "NotFound", 3, "No such object."),
  ALREADY_EXISTS: spec("stop", "already_exists", 409, "AlreadyExists", 6, "An object with that key already exists."),
  CONFLICT: spec(
    "retry",
    "aborted",
    409,
    "Conflict",
    6,
    "The object changed since it was read; read it again, then write.",
  ),
  FENCED: spec(
    "stop",
    "failed_precondition",
    409,
    "Conflict",
    6,
    "A newer holder has taken over; this one can no longer write.",
  ),
  UNAUTHENTICATED: spec(
    "reauth",
    "unauthenticated",
    401,
    "Unauthorized",
    4,
    "No credential, or one that is unknown, expired or revoked.",
  ),
  PERMISSION_DENIED: spec(
    "stop",
    "permission_denied",
    403,
    "Forbidden",
    4,
    "The caller is authenticated but not allowed to do this.",
  ),
  GONE: spec(
    "relist",
    "out_of_range",
    410,
    "Expired",
    6,
    "The requested position is compacted or belongs to another store: list again, then watch from there.",
  ),
  REVISION_AHEAD: spec(
    "retry",
    "unavailable",
    504,
    "Timeout",
    5,
    "The requested revision has not reached this hub yet.",
  ),
  TOO_LARGE: spec(
    "stop",
    "resource_exhausted",
    413,
    "RequestEntityTooLarge",
    2,
    "A message or object is over its size limit.",
  ),
  OVERLOADED: spec(
    "retry",
    "resource_exhausted",
    429,
    "TooManyRequests",
    5,
    "A limit is temporarily exceeded; try again later.",
  ),
  UNAVAILABLE: spec("retry", "unavailable", 503, "ServiceUnavailable", 5, "The peer does not answer, or is closing."),
  DEADLINE_EXCEEDED: spec("retry", "deadline_exceeded", 504, "Timeout", 5, "No answer within the deadline."),
  PARTIAL: spec(
    "retry",
    "unavailable",
    503,
    "ServiceUnavailable",
    8,
    "Some clusters were not read or their rows are not current; the rows that were read are printed.",
  ),
  MALFORMED: spec("stop", "invalid_argument", 400, "BadRequest", 7, "Bytes that cannot be decoded."),
  UNSUPPORTED_VERSION: spec(
    "stop",
    "failed_precondition",
    400,
    "BadRequest",
    7,
    "Bytes of a format version that this build does not support.",
  ),
  STORE_FULL: spec(
    "retry",
    "resource_exhausted",
    507,
    "InternalError",
    5,
    "The disk of the store is full; the refused write left nothing behind.",
  ),
  STORE_CORRUPT: spec("stop", "data_loss", 500, "InternalError", 7, "The store file is damaged."),
  STORE_FOREIGN: spec(
    "stop",
    "failed_precondition",
    500,
    "InternalError",
    7,
    "The file is not a Flotilla store, or not the one expected.",
  ),
  STORE_NEWER: spec(
    "stop",
    "failed_precondition",
    500,
    "InternalError",
    7,
    "The store was written by a newer Flotilla.",
  ),
  STORE_IN_USE: spec(
    "stop",
    "failed_precondition",
    500,
    "InternalError",
    5,
    "Another process holds the data directory.",
  ),
  STORE_KEY_MISSING: spec(
    "stop",
    "failed_precondition",
    500,
    "InternalError",
    7,
    "The key that a stored body was encrypted with is not in the key file.",
  ),
  LISTEN_FAILED: spec("stop", "unavailable", 503, "ServiceUnavailable", 5, "A port could not be opened."),
  CERTIFICATE_INVALID: spec(
    "stop",
    "failed_precondition",
    500,
    "InternalError",
    2,
    "A certificate or key file cannot be read or used.",
  ),
  UNIMPLEMENTED: spec("stop", "unimplemented", 501, "NotImplemented", 2, "Not served by this build."),
  INTERNAL: spec(
    "stop",
    "internal",
    500,
    "InternalError",
    1,
    "Unexpected internal error; the log has the cause under the request id.",
  ),
} as const satisfies Readonly<Record<string, ErrorCodeSpec>>;

/** A code of the table. */
export type ErrorCode = keyof typeof errorCodes;
