// SPDX-License-Identifier: Apache-2.0
// Decodes parts of flushes and of the fleet log, and checks every rule that a single part can break.
import { FlotillaError } from "../../base/error.ts";
import { type ResourceId, resourceIdText } from "../../model/gvr.ts";
import type { RowFindings } from "../../model/row-batch/check-rows.ts";
import { decodeRowBatch, decodeUnchecked, sentenceOfBadRow } from "../../model/row-batch/decode.ts";
import { type BatchKeys, decodeKeys } from "../../model/row-batch/decode-keys.ts";
import { encodeRowBatch } from "../../model/row-batch/encode.ts";
import type { RowBatch } from "../../model/row-batch/row-batch.ts";
import { hashName, hashNamespace, parseBucketCode } from "../../model/rows/bucket.ts";
import type { Hasher } from "../../model/rows/hasher.ts";
import type { FoldPart } from "./fold-part.ts";

/** A part of a flush, decompressed. */
export interface EncodedPart {
  /** The text of the resource id. */
  readonly resource: string;
  /** The code of the replaced bucket; 0 for a delta. */
  readonly replacedBucket: number;
  readonly bytes: Uint8Array;
}

/** A stored part, and the number of rows and deletes dropped from it. */
export interface StoredPart {
  readonly part: FoldPart;
  readonly droppedCount: number;
  /** The fault of the first dropped row or delete; "" if none was dropped. */
  readonly fault: string;
}

/** Decodes a sent part. Throws MALFORMED, TOO_LARGE or UNSUPPORTED_VERSION. */
export function decodePart(encoded: EncodedPart, hasher: Hasher): FoldPart {
  return toPart(decodeRowBatch(encoded.bytes, hasher), encoded);
}

/**
 * Decodes a part of the fleet log without the rows and deletes that fail the check: a log may be older than a rule
 * about rows (CO66). Throws MALFORMED, TOO_LARGE or UNSUPPORTED_VERSION for bytes that are not a batch of this resource
 * and bucket.
 */
export function decodeStoredPart(encoded: EncodedPart, hasher: Hasher): StoredPart {
  const { batch, findings } = decodeUnchecked(encoded.bytes, hasher);
  const { first, badCount } = findings;
  if (first === undefined) return { part: toPart(batch, encoded), droppedCount: 0, fault: "" };
  const kept = keepGood(batch, findings, hasher);
  return { part: toPart(kept, encoded), droppedCount: badCount, fault: sentenceOfBadRow(batch, first) };
}

/** The keys of a part of the fleet log. Throws as `decodeStoredPart` does; bad rows and deletes are not left out. */
export function decodeStoredKeys({ resource, bytes }: Omit<EncodedPart, "replacedBucket">, hasher: Hasher): BatchKeys {
  const keys = decodeKeys(bytes, hasher);
  checkResource(keys.resource, resource);
  return keys;
}

function checkResource(id: ResourceId, resource: string): void {
  const named = resourceIdText(id);
  if (named !== resource) throw new FlotillaError("MALFORMED", `a batch of ${named} came as one of ${resource}`);
}

/** Throws MALFORMED if the batch belongs to another resource or bucket. */
function toPart(batch: RowBatch, { resource, replacedBucket }: EncodedPart): FoldPart {
  checkResource(batch.resource, resource);
  if (replacedBucket === 0) return { resource, form: { kind: "delta" }, batch };
  checkBucket(batch, replacedBucket);
  return { resource, form: { kind: "replace", bucket: replacedBucket }, batch };
}

/** Rows outside the replaced bucket would delete nothing and hide a fault of the sender. */
function checkBucket(batch: RowBatch, code: number): void {
  const parsed = parseBucketCode(code);
  if (parsed === undefined) throw new FlotillaError("MALFORMED", `${code} is not the code of a bucket`);
  if (batch.deleteCount > 0) throw new FlotillaError("MALFORMED", "a replaced bucket comes with deletes");
  const { bytes, offsets } = batch.parts.strings;
  const { namespaceIds, nameIds } = batch.parts.fields;
  let [namespace, state] = [-1, 0];
  for (let at = 0; at < batch.rowCount; at += 1) {
    const next = namespaceIds[at] ?? 0;
    if (next !== namespace) state = hashNamespace(bytes, offsets[next] ?? 0, offsets[next + 1] ?? 0);
    namespace = next;
    const name = nameIds[at] ?? 0;
    const hash = hashName(state, bytes, offsets[name] ?? 0, offsets[name + 1] ?? 0);
    if ((hash & (parsed.bucketCount - 1)) !== parsed.bucket)
      throw new FlotillaError("MALFORMED", `a row of another bucket came in place of bucket ${code}`);
  }
}

function keepGood(batch: RowBatch, { badRows, badDeletes }: RowFindings, hasher: Hasher): RowBatch {
  const { resource, kind, parts } = batch;
  const content = {
    resource,
    kind,
    columns: parts.columns.map(({ name, type }) => ({ name, type })),
    rows: [...batch.rows()].filter((_, at) => badRows[at] !== 1),
    deletes: [...batch.deletes()].filter((_, at) => badDeletes[at] !== 1),
  };
  return decodeRowBatch(encodeRowBatch(content, hasher), hasher);
}
