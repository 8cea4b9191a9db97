// SPDX-License-Identifier: Apache-2.0
// Conversion between FlotillaError and ConnectError. An error detail carries code and ids, so that our client gets the
// same FlotillaError back over all three protocols, and every other client gets a plain Connect error.
import { fromJson, toJson } from "@bufbuild/protobuf";
import { StructSchema } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import { type ErrorIds, FlotillaError } from "../base/error.ts";
import { type ErrorCode, errorCodes } from "../base/error-codes.ts";

const codeNames: ReadonlyMap<Code, string> = new Map(
  Object.entries(Code)
    .filter((entry): entry is [string, Code] => typeof entry[1] === "number")
    .map(([name, code]) => [code, name.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`).toLowerCase()]),
);
const codesByName: ReadonlyMap<string, Code> = new Map([...codeNames].map(([code, name]) => [name, code]));

/** The wire name of a Connect code: `permission_denied`. */
export function connectCodeName(code: Code): string {
  return codeNames.get(code) ?? "unknown";
}

/** The challenge that HTTP requires in a 401 (RFC 9110 section 11.6.1). */
export const challenge = 'Bearer realm="flotilla"';

/**
 * The error for the caller: code, message and ids of a FlotillaError, never its cause. A ConnectError, which Connect
 * itself created, is kept. Anything else becomes INTERNAL with only the request id.
 */
export function toConnectError(reason: unknown, requestId: string): ConnectError {
  if (reason instanceof ConnectError) return reason;
  const error = toSafeError(reason, requestId);
  const metadata = error.code === "UNAUTHENTICATED" ? { "www-authenticate": challenge } : undefined;
  const code = codesByName.get(errorCodes[error.code].connect) ?? Code.Unknown;
  const value = fromJson(StructSchema, { code: error.code, ids: { ...error.ids } });
  return new ConnectError(error.message, code, metadata, [{ desc: StructSchema, value }], reason);
}

/** The FlotillaError to show for `reason`: itself, or an INTERNAL one that contains only the request id. */
export function toSafeError(reason: unknown, requestId: string): FlotillaError {
  if (reason instanceof FlotillaError && reason.code !== "INTERNAL") return reason;
  return new FlotillaError("INTERNAL", `unexpected internal error; search the hub's log for request ${requestId}`, {
    cause: reason,
    ids: { requestId },
  });
}

/** Codes for errors without our detail: created by Connect itself (a size limit, a bad message) or by a proxy. */
const codeWithoutDetail: Readonly<Partial<Record<Code, ErrorCode>>> = {
  [Code.InvalidArgument]: "INVALID_ARGUMENT",
  [Code.DeadlineExceeded]: "DEADLINE_EXCEEDED",
  [Code.NotFound]: "NOT_FOUND",
  [Code.AlreadyExists]: "ALREADY_EXISTS",
  [Code.PermissionDenied]: "PERMISSION_DENIED",
  [Code.ResourceExhausted]: "TOO_LARGE", // Connect's size limits; our own refusals for load carry the detail
  [Code.FailedPrecondition]: "INVALID_ARGUMENT",
  [Code.Aborted]: "UNAVAILABLE", // a proxy or a lost connection ended the stream
  [Code.Canceled]: "UNAVAILABLE", // by the peer; our own cancellation is handled before
  [Code.OutOfRange]: "GONE",
  [Code.Unimplemented]: "UNIMPLEMENTED",
  [Code.Unavailable]: "UNAVAILABLE",
  [Code.DataLoss]: "MALFORMED",
  [Code.Unauthenticated]: "UNAUTHENTICATED",
};

/** The FlotillaError that a hub sent, or the closest one for an error without our detail. */
export function fromConnectError(error: ConnectError): FlotillaError {
  const sent = sentDetail(error);
  if (sent !== undefined) return new FlotillaError(sent.code, error.rawMessage, { cause: error, ids: sent.ids });
  const code = codeWithoutDetail[error.code] ?? "INTERNAL";
  return new FlotillaError(code, error.rawMessage === "" ? errorCodes[code].means : error.rawMessage, { cause: error });
}

function sentDetail(error: ConnectError): { readonly code: ErrorCode; readonly ids: ErrorIds } | undefined {
  for (const detail of error.findDetails(StructSchema)) {
    const { code, ids } = toJson(StructSchema, detail);
    if (typeof code !== "string" || !isErrorCode(code)) continue;
    const known = typeof ids === "object" && ids !== null ? Object.entries(ids).filter(isIdEntry) : [];
    return { code, ids: Object.fromEntries(known) };
  }
  return undefined;
}

function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(errorCodes, text);
}

function isIdEntry(entry: [string, unknown]): entry is [string, string | number] {
  return typeof entry[1] === "string" || typeof entry[1] === "number";
}
