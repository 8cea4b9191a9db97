// SPDX-License-Identifier: Apache-2.0
// Digests of the sent rows (SE23), computed on demand: a pass over 50,000 slots takes a few milliseconds.
import { assert } from "../../base/assert.ts";
import { isRbacResource } from "../../model/rbac-resources.ts";
import { sessionBucketCount } from "../../model/rows/bucket.ts";
import { BucketDigests, type Digest, sumDigests } from "../../model/rows/digest.ts";
import { toRowHash } from "../../model/rows/row.ts";
import type { KindRows } from "./kind-rows.ts";
import type { RowTable } from "./row-table.ts";

/** A complete kind and the digest of its sent rows. */
export interface SentKind {
  readonly kind: KindRows;
  readonly digest: Digest;
}

/** The complete kinds, including those without rows: an empty kind is reported as empty (SE28). */
export function sentKinds(table: RowTable): readonly SentKind[] {
  const sums = new BigUint64Array(table.kinds.length);
  const rowCounts = new Float64Array(table.kinds.length);
  table.forEachSent((number, _bucket, hash) => {
    sums[number] = (sums[number] ?? 0n) + hash;
    rowCounts[number] = (rowCounts[number] ?? 0) + 1;
  });
  return table.kinds
    .filter((kind) => kind.isComplete)
    .map((kind) => ({ kind, digest: { rowCount: rowCounts[kind.number] ?? 0, sum: sums[kind.number] ?? 0n } }));
}

/** The digest of all sent rows of complete kinds. */
export function sentRoot(table: RowTable): Digest {
  return sumDigests(sentKinds(table).map(({ digest }) => digest));
}

/** The digests of a complete kind's buckets. */
export function sentBuckets(table: RowTable, kind: KindRows): BucketDigests {
  assert(kind.isComplete, "digests are of complete kinds");
  const digests = new BucketDigests(sessionBucketCount);
  table.forEachSent((number, bucket, hash) => {
    if (number === kind.number) digests.add(bucket, toRowHash(hash));
  });
  return digests;
}

/** Whether a row of an RBAC kind has changed and is not sent yet, including rows in an unsent flush (SE48). */
export function doGrantsWait(table: RowTable): boolean {
  return table.kinds.some((kind) => {
    if (!isRbacResource(kind.resource)) return false;
    for (const slot of table.slotsOf(kind)) if (table.isChanged(slot)) return true;
    return false;
  });
}
