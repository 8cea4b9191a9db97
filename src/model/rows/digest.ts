// SPDX-License-Identifier: Apache-2.0
import { assert } from "../../base/assert.ts";
import { isBucketCount } from "./bucket.ts";
import type { RowHash } from "./row.ts";

/** The digest of a set of rows (CO44). Equal sets have equal digests; unequal sets almost never do (64 bits). */
export interface Digest {
  readonly rowCount: number;
  /** Sum of the row hashes modulo 2^64. */
  readonly sum: bigint;
}

/** The digest of no rows. */
export const emptyDigest: Digest = { rowCount: 0, sum: 0n };

/** True if both digests are equal, and so their sets as far as 64 bits can show. */
export function isSameDigest(a: Digest, b: Digest): boolean {
  return a.rowCount === b.rowCount && a.sum === b.sum;
}

/** The digest of the union of disjoint sets. */
export function sumDigests(digests: Iterable<Digest>): Digest {
  let rowCount = 0;
  let sum = 0n;
  for (const digest of digests) {
    rowCount += digest.rowCount;
    sum += digest.sum;
  }
  return { rowCount, sum: BigInt.asUintN(64, sum) };
}

/**
 * The digests of one kind's buckets, updated as rows change. Each change costs one addition, which the typed array
 * wraps at 64 bits (4 ns; two 32-bit halves with a carry took 6). The caller tracks which rows are included: adding a
 * row twice, or removing an absent one, gives an invalid digest.
 */
export class BucketDigests {
  readonly #sums: BigUint64Array;
  readonly #rowCounts: Float64Array;

  constructor(bucketCount: number) {
    assert(isBucketCount(bucketCount), "the number of buckets is a power of two");
    this.#sums = new BigUint64Array(bucketCount);
    this.#rowCounts = new Float64Array(bucketCount);
  }

  get bucketCount(): number {
    return this.#sums.length;
  }

  add(bucket: number, hash: RowHash): void {
    this.#change(bucket, hash, 1);
  }

  remove(bucket: number, hash: RowHash): void {
    this.#change(bucket, 0n - hash, -1);
  }

  /** Replaces the old hash of a changed row by its new one. */
  replace(bucket: number, old: RowHash, present: RowHash): void {
    this.#change(bucket, present - old, 0);
  }

  #change(bucket: number, by: bigint, count: number): void {
    const sum = this.#sums[bucket];
    const rowCount = this.#rowCounts[bucket];
    assert(sum !== undefined && rowCount !== undefined, "the bucket is one of this kind's");
    this.#sums[bucket] = sum + by;
    this.#rowCounts[bucket] = rowCount + count;
  }

  /** The digest of one bucket. */
  get(bucket: number): Digest {
    const sum = this.#sums[bucket];
    const rowCount = this.#rowCounts[bucket];
    assert(sum !== undefined && rowCount !== undefined, "the bucket is one of this kind's");
    return { rowCount, sum };
  }

  /** The digests of all buckets, in order. */
  list(): Digest[] {
    return Array.from(this.#sums, (sum, bucket) => ({ rowCount: this.#rowCounts[bucket] ?? 0, sum }));
  }

  /** The digest of the whole kind. */
  total(): Digest {
    return sumDigests(this.list());
  }
}
