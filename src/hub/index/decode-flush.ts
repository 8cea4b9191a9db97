// SPDX-License-Identifier: Apache-2.0
// Decodes the parts of a flush into batches, and checks every rule that a single flush can break.
import { FlotillaError } from "../../base/error.ts";
import { resourceIdText } from "../../model/gvr.ts";
import { decodeRowBatch } from "../../model/row-batch/decode.ts";
import { maxBatchBytes } from "../../model/row-batch/format.ts";
import type { RowBatch } from "../../model/row-batch/row-batch.ts";
import { bucketOfBytes, parseBucketCode } from "../../model/rows/bucket.ts";
import type { Codec } from "../../model/rows/codec.ts";
import type { Hasher } from "../../model/rows/hasher.ts";
import type { FoldPart } from "../rows/fold-types.ts";
import type { FlushRefusal, SentPart } from "./index-messages.ts";
import type { WorkTurns } from "./work-turns.ts";

/**
 * The limit on the uncompressed bytes of all batches of one flush: four of the largest. It bounds decompression bombs.
 */
const maxFlushBytes = 4 * maxBatchBytes;

/**
 * The limit on the expanded bytes of all rows of one flush, each row with all its texts (CO67). It is twice what
 * 100,000 role bindings, which are never split (SE16), take at 1 KiB each. It bounds the memory of readers of the rows
 * and of the change feed.
 */
const maxExpandedBytes = 256 * 1024 * 1024;

/** Decoding this many bytes of a batch, with the check for changes, takes as long as folding one row: some 1.2 µs. */
export const bytesPerFoldedRow = 256;

/** The decoded parts, or the reason why the whole flush is refused. */
export type DecodedFlush =
  | { readonly kind: "decoded"; readonly parts: readonly FoldPart[] }
  | { readonly kind: "refused"; readonly refusal: FlushRefusal };

function refusedAs(reason: FlotillaError): FlushRefusal {
  return { reason: reason.code === "TOO_LARGE" ? "overLimit" : "malformed", detail: reason.message };
}

/** Rows outside the replaced bucket would delete nothing and hide a fault of the sender. */
function checkBucket(batch: RowBatch, code: number): void {
  const parsed = parseBucketCode(code);
  if (parsed === undefined) throw new FlotillaError("MALFORMED", `${code} is not the code of a bucket`);
  if (batch.deleteCount > 0) throw new FlotillaError("MALFORMED", "a replaced bucket comes with deletes");
  const { strings, fields } = batch.parts;
  for (let at = 0; at < batch.rowCount; at += 1) {
    const namespace = strings.bytesOf(fields.namespaceIds[at] ?? 0);
    const name = strings.bytesOf(fields.nameIds[at] ?? 0);
    if (bucketOfBytes(namespace, name, parsed.bucketCount) !== parsed.bucket)
      throw new FlotillaError("MALFORMED", `a row of another bucket came in place of bucket ${code}`);
  }
}

/** Decodes a sent part. Throws MALFORMED, TOO_LARGE or UNSUPPORTED_VERSION. */
function decodePart(bytes: Uint8Array, resource: string, replacedBucket: number, hasher: Hasher): FoldPart {
  return toPart(decodeRowBatch(bytes, hasher), resource, replacedBucket);
}

/** Converts a decoded batch to a part. Throws MALFORMED if it belongs to another resource or bucket. */
export function toPart(batch: RowBatch, resource: string, replacedBucket: number): FoldPart {
  const named = resourceIdText(batch.resource);
  if (named !== resource) throw new FlotillaError("MALFORMED", `a batch of ${named} came as one of ${resource}`);
  if (replacedBucket === 0) return { resource, form: { kind: "delta" }, batch };
  checkBucket(batch, replacedBucket);
  return { resource, form: { kind: "replace", bucket: replacedBucket }, batch };
}

/** Decodes all parts, or refuses the whole flush (SE4). */
export async function decodeFlush(
  sent: readonly SentPart[],
  { codec, hasher, turns }: { readonly codec: Codec; readonly hasher: Hasher; readonly turns: WorkTurns },
): Promise<DecodedFlush> {
  const parts: FoldPart[] = [];
  let leftBytes = maxFlushBytes;
  let expandedBytes = 0;
  try {
    for (const { resource, replacedBucket, bytes: compressed } of sent) {
      const bytes = await codec.decompress(compressed, Math.min(maxBatchBytes, leftBytes));
      leftBytes -= bytes.length;
      await turns.take(Math.ceil(bytes.length / bytesPerFoldedRow));
      const part = decodePart(bytes, resource, replacedBucket, hasher);
      expandedBytes += part.batch.parts.expandedBytes;
      if (expandedBytes > maxExpandedBytes)
        throw new FlotillaError("TOO_LARGE", `the rows of a flush have more than ${maxExpandedBytes} bytes`);
      parts.push(part);
    }
  } catch (reason) {
    if (!(reason instanceof FlotillaError)) throw reason;
    return { kind: "refused", refusal: refusedAs(reason) };
  }
  return { kind: "decoded", parts };
}
