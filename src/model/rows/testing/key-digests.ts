// SPDX-License-Identifier: Apache-2.0
import { assert } from "../../../base/assert.ts";
import { hashName, hashNamespace, isBucketCount } from "../bucket.ts";
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

/** The hash that determines a key's bucket (CO45). */
export function bucketHash(namespace: Uint8Array, name: Uint8Array): number {
  return hashName(hashNamespace(namespace, 0, namespace.length), name, 0, name.length);
}

/** The bucket of a key given as UTF-8 bytes, as batches and indexes hold it. */
export function bucketOfBytes(namespace: Uint8Array, name: Uint8Array, bucketCount: number): number {
  assert(isBucketCount(bucketCount), "the number of buckets is a power of two");
  return bucketHash(namespace, name) & (bucketCount - 1);
}
