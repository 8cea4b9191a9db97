// SPDX-License-Identifier: Apache-2.0
// A flush is encoded when it is built. Its sequence number and age precede it in the message and are known only when it
// is sent.
import { create, toBinary } from "@bufbuild/protobuf";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { ConnectRequestSchema, FlushSchema } from "../../gen/flotilla/session/v1/session_pb.ts";
import type { BuiltPart } from "./build-flush.ts";

/**
 * Most bytes of a message besides its flush: 11 for the number, 6 for the age, 1 and 5 for the flush's field and
 * length.
 */
export const envelopeBytes = 23;

/** The bytes of a flush. */
export function encodeFlush(parts: readonly BuiltPart[]): Uint8Array {
  return toBinary(FlushSchema, create(FlushSchema, { parts: [...parts] }));
}

/** The message with the flush: the same bytes that `encodeRequest` would return for its parts. */
export function encodeFlushRequest(flush: Uint8Array, seq: number, collectedMsAgo: number): Uint8Array {
  const ago = Math.min(0xffff_ffff, Math.max(0, Math.round(collectedMsAgo)));
  const head = toBinary(ConnectRequestSchema, create(ConnectRequestSchema, { seq: BigInt(seq), collectedMsAgo: ago }));
  const field = ConnectRequestSchema.field.flush.number;
  return new BinaryWriter().raw(head).tag(field, WireType.LengthDelimited).bytes(flush).finish();
}
