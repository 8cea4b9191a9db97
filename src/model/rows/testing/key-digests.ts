// SPDX-License-Identifier: Apache-2.0
import { bucketOfBytes } from "../bucket.ts";
import { type Digest, isSameDigest, sumDigests } from "../digest.ts";
import type { RowHash } from "../row.ts";

const encoder = new TextEncoder();

/** The bucket of a key given as text (CO45). */
export function bucketOf(key: { readonly namespace: string; readonly name: string }, bucketCount: number): number {
  return bucketOfBytes(encoder.encode(key.namespace), encoder.encode(key.name), bucketCount);
}

/** The digest of the rows with these hashes (CO44). */
export function digestOf(hashes: Iterable<RowHash>): Digest {
  return sumDigests(Array.from(hashes, (sum) => ({ rowCount: 1, sum })));
}

/** The buckets whose digests differ; both lists have the same length. */
export function differingBuckets(ours: readonly Digest[], theirs: readonly Digest[]): number[] {
  return theirs.flatMap((digest, bucket) => {
    const own = ours[bucket];
    return own !== undefined && isSameDigest(own, digest) ? [] : [bucket];
  });
}
