// SPDX-License-Identifier: Apache-2.0
import { assert } from "../../base/assert.ts";

/**
 * Most buckets of one kind (CO45): 50,000 objects leave less than one object in each, so more would only cost bytes.
 */
export const maxBucketCount = 65_536;

const slash = 0x2f;
const prime = 0x01000193;

/**
 * The state of a key's hash after its namespace, which is the same for all keys of a namespace. The hash determines the
 * key's bucket (CO45): FNV-1a over `namespace/name`, then MurmurHash3's finalizer, so that the low bits depend on all
 * input.
 */
export function hashNamespace(bytes: Uint8Array, from: number, end: number): number {
  let sum = 0x811c9dc5;
  for (let at = from; at < end; at += 1) sum = Math.imul(sum ^ (bytes[at] ?? 0), prime);
  return Math.imul(sum ^ slash, prime);
}

/** The hash of the key of a name in the namespace with this state. */
export function hashName(namespaceState: number, bytes: Uint8Array, from: number, end: number): number {
  let sum = namespaceState;
  for (let at = from; at < end; at += 1) sum = Math.imul(sum ^ (bytes[at] ?? 0), prime);
  let hash = Math.imul(sum ^ (sum >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** The hash of a key as `ByteWriter.text` wrote its two texts, each with its length before it. */
export function bucketHashOfKey(key: Uint8Array): number {
  let [length, scale, from] = [0, 1, 0];
  for (; (key[from] ?? 0) >= 0x80; from += 1, scale *= 0x80) length += ((key[from] ?? 0) & 0x7f) * scale;
  length += (key[from] ?? 0) * scale;
  const end = from + 1 + length;
  let nameFrom = end;
  while ((key[nameFrom] ?? 0) >= 0x80) nameFrom += 1;
  return hashName(hashNamespace(key, from + 1, end), key, nameFrom + 1, key.length);
}

/** True for a power of two from 1 to `maxBucketCount`. */
export function isBucketCount(count: number): boolean {
  return Number.isInteger(count) && count >= 1 && count <= maxBucketCount && (count & (count - 1)) === 0;
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
