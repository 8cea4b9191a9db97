// SPDX-License-Identifier: Apache-2.0
import { assert } from "../../base/assert.ts";

/**
 * Most buckets of one kind (CO45): 50,000 objects leave less than one object in each, so more would only cost bytes.
 */
export const maxBucketCount = 65_536;

const slash = 0x2f;

function addBytes(hash: number, bytes: Uint8Array, from = 0, to = bytes.length): number {
  let sum = hash;
  for (let at = from; at < to; at += 1) sum = Math.imul(sum ^ (bytes[at] ?? 0), 0x01000193);
  return sum;
}

/** MurmurHash3's finalizer. */
function mix(sum: number): number {
  let hash = Math.imul(sum ^ (sum >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/**
 * The 32-bit hash that determines a key's bucket: FNV-1a over `namespace/name`, then MurmurHash3's finalizer, so that
 * the low bits depend on all input (CO45).
 */
export function bucketHash(namespace: Uint8Array, name: Uint8Array): number {
  const before = Math.imul(addBytes(0x811c9dc5, namespace) ^ slash, 0x01000193);
  return mix(addBytes(before, name));
}

/** `bucketHash` of a key as `ByteWriter.text` wrote its two texts, each with its length before it. */
export function bucketHashOfKey(key: Uint8Array): number {
  let [length, scale, from] = [0, 1, 0];
  for (; (key[from] ?? 0) >= 0x80; from += 1, scale *= 0x80) length += ((key[from] ?? 0) & 0x7f) * scale;
  length += (key[from] ?? 0) * scale;
  const end = from + 1 + length;
  const before = Math.imul(addBytes(0x811c9dc5, key, from + 1, end) ^ slash, 0x01000193);
  let nameFrom = end;
  while ((key[nameFrom] ?? 0) >= 0x80) nameFrom += 1;
  return mix(addBytes(before, key, nameFrom + 1));
}

/** True for a power of two from 1 to `maxBucketCount`. */
export function isBucketCount(count: number): boolean {
  return Number.isInteger(count) && count >= 1 && count <= maxBucketCount && (count & (count - 1)) === 0;
}

/**
 * The bucket of a key given as UTF-8 bytes, as batches and indexes hold it. Kind and cluster do not
 * matter. Equal on every machine and in every version.
 */
export function bucketOfBytes(namespace: Uint8Array, name: Uint8Array, bucketCount: number): number {
  assert(isBucketCount(bucketCount), "the number of buckets is a power of two");
  return bucketHash(namespace, name) & (bucketCount - 1);
}

/**
 * The number of buckets of a kind in a session (SE24): 50,000 rows give about 50 in each, and all digests of a kind
 * take 12 KB.
 */
export const sessionBucketCount = 1_024;

/** A bucket and its count as one number, `count + bucket`, for storage and messages (SE24). */
export function bucketCode(bucketCount: number, bucket: number): number {
  assert(isBucketCount(bucketCount) && bucket >= 0 && bucket < bucketCount, "the bucket is one of the count");
  return bucketCount + bucket;
}

/** The bucket and count of a code; undefined for a number that is not a code. */
export function parseBucketCode(code: number): { readonly bucketCount: number; readonly bucket: number } | undefined {
  if (!Number.isInteger(code) || code < 1 || code >= 2 * maxBucketCount) return undefined;
  const bucketCount = 2 ** (31 - Math.clz32(code));
  return { bucketCount, bucket: code - bucketCount };
}
