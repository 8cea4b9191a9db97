// SPDX-License-Identifier: Apache-2.0
// Failures on the wire: FlotillaError <-> ConnectError. A detail of the error carries code and ids, so that a client of
// ours gets the same FlotillaError back over any of the three protocols, and every other client a plain Connect error.
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

/** The challenge that HTTP asks for beside a 401 (RFC 9110 section 11.6.1). */
export const challenge = 'Bearer realm="flotilla"';

/**
 * What goes to the caller: code, safe message and ids of a FlotillaError, never its cause. Whatever is no FlotillaError
 * (and no ConnectError, which Connect itself made) becomes INTERNAL with nothing but the request id.
 */
export function toConnectError(reason: unknown, requestId: string): ConnectError {
  if (reason instanceof ConnectError) return reason;
  const error = toSafeError(reason, requestId);
  const metadata = error.code === "UNAUTHENTICATED" ? { "www-authenticate": challenge } : undefined;
  const code = codesByName.get(errorCodes[error.code].connect) ?? Code.Unknown;
  const value = fromJson(StructSchema, { code: error.code, ids: { ...error.ids } });
  return new ConnectError(error.message, code, metadata, [{ desc: StructSchema, value }], reason);
}

/** The FlotillaError to show for `reason`: itself, or an INTERNAL one that only names the request. */
export function toSafeError(reason: unknown, requestId: string): FlotillaError {
  if (reason instanceof FlotillaError && reason.code !== "INTERNAL") return reason;
  return new FlotillaError(
    "INTERNAL",
    `an unforeseen failure; the hub's log has its cause under request ${requestId}`,
    {
      cause: reason,
      ids: { requestId },
    },
  );
}

/** Codes for errors without our detail: made by Connect itself (a size limit, a bad message) or by a proxy on the way. */
const codeWithoutDetail: Readonly<Partial<Record<Code, ErrorCode>>> = {
  [Code.InvalidArgument]: "INVALID_ARGUMENT",
  [Code.DeadlineExceeded]: "DEADLINE_EXCEEDED",
  [Code.NotFound]: "NOT_FOUND",
  [Code.AlreadyExists]: "ALREADY_EXISTS",
  [Code.PermissionDenied]: "PERMISSION_DENIED",
  [Code.ResourceExhausted]: "TOO_LARGE", // Connect's size limits; our own refusals for load carry the detail
  [Code.FailedPrecondition]: "INVALID_ARGUMENT",
  [Code.Aborted]: "UNAVAILABLE", // the stream was broken off, by a proxy or with the connection
  [Code.Canceled]: "UNAVAILABLE", // by the other side: our own cancellation never comes here
  [Code.OutOfRange]: "GONE",
  [Code.Unimplemented]: "UNIMPLEMENTED",
  [Code.Unavailable]: "UNAVAILABLE",
  [Code.DataLoss]: "MALFORMED",
  [Code.Unauthenticated]: "UNAUTHENTICATED",
};

/** The FlotillaError that a hub sent, or the nearest one for an error that carries no code of ours. */
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
