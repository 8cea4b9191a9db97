// SPDX-License-Identifier: Apache-2.0
// Encodes and parses the messages of a tunnel. Received messages are checked here; both ends see only plain values.
import { create, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { FlotillaError } from "../../base/error.ts";
import { type ErrorCode, errorCodes } from "../../base/error-codes.ts";
import {
  type TunnelRefusal,
  TunnelRequestSchema,
  TunnelResponseSchema,
} from "../../gen/flotilla/session/v1/session_pb.ts";
import { cutText } from "../../model/text.ts";
import type { ObjectRead } from "./tunnel.ts";

/** A message from the agent. */
export type TunnelUp =
  | { readonly kind: "opening"; readonly tunnelId: string; readonly ticket: Uint8Array }
  | { readonly kind: "body"; readonly bytes: Uint8Array; readonly isLast: boolean }
  | { readonly kind: "refusal"; readonly error: FlotillaError };

/** Most bytes of an error message. Longer ones come from admission webhooks and proxies, and are cut. */
const maxSentenceBytes = 2_048;

/** Most groups of a question. Directories assign hundreds to long-time employees. */
const maxGroupCount = 1_024;

function encodeUp(message: NonNullable<MessageInitShape<typeof TunnelRequestSchema>["message"]>): Uint8Array {
  return toBinary(TunnelRequestSchema, create(TunnelRequestSchema, { message }));
}

/** The agent's first message (TU1). */
export function encodeOpening(tunnelId: string, ticket: Uint8Array): Uint8Array {
  return encodeUp({ case: "opening", value: { tunnelId, ticket } });
}

/** Some bytes of the answer. */
export function encodeBody(bytes: Uint8Array, isLast: boolean): Uint8Array {
  return encodeUp({ case: "body", value: { bytes, isLast } });
}

/** The error instead of an answer. */
export function encodeRefusal(error: FlotillaError): Uint8Array {
  return encodeUp({ case: "refusal", value: toRefusal(error) });
}

/** The wire form of an error: code and message, never its cause. */
export function toRefusal({ code, message }: FlotillaError): Pick<TunnelRefusal, "code" | "message"> {
  return { code, message: cutText(message, maxSentenceBytes) };
}

/** The error in a refusal. */
export function fromRefusal({ code, message }: Pick<TunnelRefusal, "code" | "message">): FlotillaError {
  return new FlotillaError(toCode(code), cutText(message, maxSentenceBytes));
}

/** Encodes the question. */
export function encodeObjectRead(read: ObjectRead): Uint8Array {
  const value = { ...read, groups: [...read.groups] };
  return toBinary(TunnelResponseSchema, create(TunnelResponseSchema, { message: { case: "objectRead", value } }));
}

/** Parses a message from the agent. Throws MALFORMED. */
export function parseTunnelUp(bytes: Uint8Array): TunnelUp {
  const { message } = decode(() => fromBinary(TunnelRequestSchema, bytes));
  switch (message.case) {
    case "opening":
      return { kind: "opening", tunnelId: message.value.tunnelId, ticket: message.value.ticket };
    case "body":
      return { kind: "body", bytes: message.value.bytes, isLast: message.value.isLast };
    case "refusal":
      return { kind: "refusal", error: fromRefusal(message.value) };
    case undefined:
      throw malformed("its type is unknown");
  }
}

/** Parses the question. Throws MALFORMED; UNIMPLEMENTED for a question of a newer hub. */
export function parseTunnelDown(bytes: Uint8Array): ObjectRead {
  const { message } = decode(() => fromBinary(TunnelResponseSchema, bytes));
  if (message.case === undefined) {
    throw new FlotillaError(
      "UNIMPLEMENTED",
      "the agent does not support this request; upgrade the agent to the version of the hub",
    );
  }
  const { user, groups, resource, namespace, name } = message.value;
  if (groups.length > maxGroupCount) throw malformed(`it names ${groups.length} groups, ${maxGroupCount} are the most`);
  return { user, groups, resource, namespace, name };
}

/**
 * An unknown code, from a newer agent, becomes UNAVAILABLE. So does UNAUTHENTICATED: an agent cannot judge a caller's
 * credential at the hub.
 */
function toCode(text: string): ErrorCode {
  return isCode(text) && text !== "UNAUTHENTICATED" ? text : "UNAVAILABLE";
}

function isCode(text: string): text is ErrorCode {
  return Object.hasOwn(errorCodes, text);
}

function decode<T>(read: () => T): T {
  try {
    return read();
  } catch (reason) {
    throw malformed("it cannot be decoded", reason);
  }
}

function malformed(fault: string, cause?: unknown): FlotillaError {
  return new FlotillaError("MALFORMED", `a message of a tunnel cannot be read: ${fault}`, { cause });
}
