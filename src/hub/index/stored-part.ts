// SPDX-License-Identifier: Apache-2.0
// Decodes parts of the fleet log. A log may be older than a rule about rows, so only the rows that fail the check are
// dropped (CO66).

import type { RowFindings } from "../../model/row-batch/check-rows.ts";
import { decodeRowBatch, decodeUnchecked, sentenceOfBadRow } from "../../model/row-batch/decode.ts";
import { encodeRowBatch } from "../../model/row-batch/encode.ts";
import type { RowBatch } from "../../model/row-batch/row-batch.ts";
import type { Hasher } from "../../model/rows/hasher.ts";
import type { FoldPart } from "../rows/fold-types.ts";
import { toPart } from "./decode-flush.ts";

/** A stored part, and the number of rows and deletes dropped from it. */
export interface StoredPart {
  readonly part: FoldPart;
  readonly droppedCount: number;
  /** The fault of the first dropped row or delete; "" if none was dropped. */
  readonly fault: string;
}

/**
 * Decodes a part without the rows and deletes that fail the check. Throws MALFORMED, TOO_LARGE or UNSUPPORTED_VERSION
 * for bytes that are not a batch of this resource and bucket.
 */
export function decodeStoredPart(
  bytes: Uint8Array,
  resource: string,
  replacedBucket: number,
  hasher: Hasher,
): StoredPart {
  const { batch, findings } = decodeUnchecked(bytes, hasher);
  const { first, badCount } = findings;
  if (first === undefined) return { part: toPart(batch, resource, replacedBucket), droppedCount: 0, fault: "" };
  const kept = keepGood(batch, findings, hasher);
  return {
    part: toPart(kept, resource, replacedBucket),
    droppedCount: badCount,
    fault: sentenceOfBadRow(batch, first),
  };
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
