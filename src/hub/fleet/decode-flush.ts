// SPDX-License-Identifier: Apache-2.0
// From the parts of a flush as they came to batches that can be folded, with every rule that a single flush can break.
import { FlotillaError } from "../../base/error.ts";
import { bucketOfBytes, parseBucketCode } from "../../model/bucket.ts";
import type { Codec } from "../../model/codec.ts";
import { resourceIdText } from "../../model/gvr.ts";
import type { Hasher } from "../../model/hasher.ts";
import { decodeRowBatch } from "../../model/row-batch/decode.ts";
import { maxBatchBytes } from "../../model/row-batch/format.ts";
import type { RowBatch } from "../../model/row-batch/row-batch.ts";
import type { FlushFacts, PartFacts } from "../../session/hub/parsed-request.ts";
import type { Refusal } from "../../session/hub/session-rejections.ts";
import type { IngestTurns } from "./ingest-turns.ts";
import type { PicturePart } from "./picture.ts";

/** Bytes that the batches of one flush may have uncompressed, together: four of the largest. It bounds what few bytes can expand to. */
const maxFlushBytes = 4 * maxBatchBytes;

/**
 * Bytes that the rows of one flush may have together, each with all its texts (CO67). Twice what 100,000 role bindings, which are never split (SE16),
 * take at 1 KiB each; it bounds what readers of the rows, and the feed of changes, can be made to build.
 */
const maxExpandedBytes = 256 * 1024 * 1024;

/** Bytes of a batch whose decoding takes as long as folding one row, some 1.2 µs; with the look whether it changes anything. */
export const bytesPerFoldedRow = 256;

/** A decoded part beside what came. */
export interface DecodedPart extends PicturePart {
  readonly sent: PartFacts;
}

/** The parts, or why the flush is refused whole. */
export type DecodedFlush =
  | { readonly kind: "decoded"; readonly parts: readonly DecodedPart[] }
  | { readonly kind: "refused"; readonly refusal: Refusal };

function refusedAs(reason: FlotillaError): Refusal {
  return { reason: reason.code === "TOO_LARGE" ? "overLimit" : "malformed", detail: reason.message };
}

/** Rows outside of the bucket they replace would delete nothing and hide a fault of the sender. */
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

/** A sent part as a batch. Throws MALFORMED, TOO_LARGE or UNSUPPORTED_VERSION. */
export function decodePart(bytes: Uint8Array, resource: string, replacedBucket: number, hasher: Hasher): PicturePart {
  return toPart(decodeRowBatch(bytes, hasher), resource, replacedBucket);
}

/** A decoded batch as a part. Throws MALFORMED where it is not one of this resource or bucket. */
export function toPart(batch: RowBatch, resource: string, replacedBucket: number): PicturePart {
  const named = resourceIdText(batch.resource);
  if (named !== resource) throw new FlotillaError("MALFORMED", `a batch of ${named} came as one of ${resource}`);
  if (replacedBucket === 0) return { resource, form: { kind: "delta" }, batch };
  checkBucket(batch, replacedBucket);
  return { resource, form: { kind: "replace", bucket: replacedBucket }, batch };
}

/** Decodes all parts or refuses the flush (SE4). `complete` are the kinds that may replace buckets (SE26). */
export async function decodeFlush(
  flush: FlushFacts,
  complete: ReadonlySet<string>,
  { codec, hasher, turns }: { readonly codec: Codec; readonly hasher: Hasher; readonly turns: IngestTurns },
): Promise<DecodedFlush> {
  const parts: DecodedPart[] = [];
  let leftBytes = maxFlushBytes;
  let expandedBytes = 0;
  for (const sent of flush.parts) {
    const { resourceText, replacedBucket } = sent;
    if (replacedBucket !== 0 && !complete.has(resourceText)) {
      const detail = `a bucket of ${resourceText} came before its list was complete`;
      return { kind: "refused", refusal: { reason: "incompleteReplace", detail } };
    }
    try {
      const bytes = await codec.decompress(sent.batch, Math.min(maxBatchBytes, leftBytes));
      leftBytes -= bytes.length;
      await turns.take(Math.ceil(bytes.length / bytesPerFoldedRow));
      const part = decodePart(bytes, resourceText, replacedBucket, hasher);
      expandedBytes += part.batch.parts.expandedBytes;
      if (expandedBytes > maxExpandedBytes)
        throw new FlotillaError("TOO_LARGE", `the rows of a flush have more than ${maxExpandedBytes} bytes`);
      parts.push({ ...part, sent });
    } catch (reason) {
      if (!(reason instanceof FlotillaError)) throw reason;
      return { kind: "refused", refusal: refusedAs(reason) };
    }
  }
  return { kind: "decoded", parts };
}
