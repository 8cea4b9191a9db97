// SPDX-License-Identifier: Apache-2.0
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { FlushPartSchema } from "../../gen/flotilla/session/v1/session_pb.ts";
import { bucketCode, sessionBucketCount } from "../../model/bucket.ts";
import type { Codec } from "../../model/codec.ts";
import type { Hasher } from "../../model/hasher.ts";
import { encodeRowStream } from "../../model/row-batch/encode.ts";
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
