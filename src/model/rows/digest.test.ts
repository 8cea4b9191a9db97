// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { BucketDigests, emptyDigest } from "./digest.ts";
import { toRowHash } from "./row.ts";
import { digestOf } from "./testing/key-digests.ts";

const max = toRowHash(2n ** 64n - 1n);
const one = toRowHash(1n);

test("[CO44] sums wrap at 64 bits and the count tells two empty sums apart", () => {
  const digests = new BucketDigests(1);
  digests.add(0, max);
  digests.add(0, one);
  expect(digests.get(0)).toEqual({ rowCount: 2, sum: 0n });
  expect(digestOf([max, one])).toEqual({ rowCount: 2, sum: 0n });
  digests.remove(0, max);
  digests.remove(0, one);
  expect(digests.get(0)).toEqual(emptyDigest);
});

test("[CO44] replacing a hash is removing the old and adding the present one", () => {
  const replaced = new BucketDigests(4);
  replaced.add(2, max);
  replaced.replace(2, max, one);
  const fresh = new BucketDigests(4);
  fresh.add(2, one);
  expect(replaced.list()).toEqual(fresh.list());
});

test("a bucket that does not exist is a bug, not a silent loss", () => {
  const digests = new BucketDigests(4);
  expect(() => digests.add(4, one)).toThrow("the bucket is one of this kind's");
  expect(() => digests.get(-1)).toThrow("the bucket is one of this kind's");
});
