// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { BucketDigests, isSameDigest, sumDigests } from "./digest.ts";
import { type RowHash, toRowHash } from "./row.ts";
import { digestOf } from "./testing/key-digests.ts";

const bucketCount = 8;
const hash = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(toRowHash);
const placed = fc.tuple(fc.integer({ min: 0, max: bucketCount - 1 }), hash);

function fill(rows: readonly (readonly [number, RowHash])[]): BucketDigests {
  const digests = new BucketDigests(bucketCount);
  for (const [bucket, rowHash] of rows) digests.add(bucket, rowHash);
  return digests;
}

test("[CO44] digests do not depend on the order of rows", () => {
  fc.assert(
    fc.property(fc.array(placed), (rows) => {
      expect(fill(rows.toReversed()).list()).toEqual(fill(rows).list());
    }),
  );
});

test("[CO44] adding rows and removing them, in any order, leaves the digests as they were", () => {
  fc.assert(
    fc.property(fc.array(placed), fc.array(placed), (kept, passing) => {
      const digests = fill(kept);
      for (const [bucket, rowHash] of passing) digests.add(bucket, rowHash);
      for (const [bucket, rowHash] of passing.toReversed()) digests.remove(bucket, rowHash);
      expect(digests.list()).toEqual(fill(kept).list());
    }),
  );
});

test("[CO44][CO46] a kind's digest is the sum of its buckets and the digest of all its rows", () => {
  fc.assert(
    fc.property(fc.array(placed), (rows) => {
      const digests = fill(rows);
      expect(digests.total()).toEqual(sumDigests(digests.list()));
      expect(digests.total()).toEqual(digestOf(rows.map(([, rowHash]) => rowHash)));
    }),
  );
});

test("[CO44] sets have equal digests exactly if they are equal", () => {
  fc.assert(
    fc.property(fc.uniqueArray(hash), fc.uniqueArray(hash), fc.boolean(), (a, other, isShuffled) => {
      const b = isShuffled ? a.toReversed() : other;
      const areEqual = a.length === b.length && a.every((each) => b.includes(each));
      expect(isSameDigest(digestOf(a), digestOf(b))).toBe(areEqual);
    }),
  );
});
