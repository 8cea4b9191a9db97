// SPDX-License-Identifier: Apache-2.0
// Builds the bytes of a flush. Its sequence number and age precede it in the message and are known only when it is
// sent.
import { create, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { ConnectRequestSchema, type FlushPartSchema, FlushSchema } from "../../gen/flotilla/session/v1/session_pb.ts";
import { encodeRowStream } from "../../model/row-batch/encode.ts";
import { bucketCode, sessionBucketCount } from "../../model/rows/bucket.ts";
import type { Codec } from "../../model/rows/codec.ts";
import type { Hasher } from "../../model/rows/hasher.ts";
import type { FlushPlan, PlannedPart } from "../../session/agent/plan-flush.ts";

/** One kind's part in its wire form. */
export type BuiltPart = MessageInitShape<typeof FlushPartSchema>;

async function buildPart(part: PlannedPart, codec: Codec, hasher: Hasher): Promise<BuiltPart> {
  const { spec, resource } = part.kind;
  const { rows, deletes, replacedBucket } = part;
  const batch = await codec.compress(encodeRowStream({ ...spec, rows, deletes }, hasher));
  const code = replacedBucket === undefined ? 0 : bucketCode(sessionBucketCount, replacedBucket);
  return { resource, replacedBucket: code, batch };
}

/** Builds a planned flush part by part, so that only one uncompressed batch is held at a time. */
export async function buildFlush(plan: FlushPlan, codec: Codec, hasher: Hasher): Promise<readonly BuiltPart[]> {
  const parts: BuiltPart[] = [];
  for (const part of plan.parts) parts.push(await buildPart(part, codec, hasher));
  return parts;
}

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
