// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { bucketCode, bucketHashOfKey, maxBucketCount, parseBucketCode } from "./bucket.ts";
import { ByteWriter } from "./byte-writer.ts";
import { bucketHash, bucketOf, bucketOfBytes } from "./testing/key-digests.ts";

/** Any character, with those that are special somewhere often. */
const character = fc.oneof(
  fc.constantFrom("a", "/", "%", ":", ".", ",", "=", "\\", "\u0000", "\ufeff", "\ufffd", "\u{10000}"),
  fc.integer({ min: 0, max: 0xd7ff }).map((point) => String.fromCodePoint(point)),
  fc.integer({ min: 0xe000, max: 0x10ffff }).map((point) => String.fromCodePoint(point)),
);

const encoder = new TextEncoder();

test("[CO45] the hash of a key is fixed for ever", () => {
  expect(bucketHash(encoder.encode("default"), encoder.encode("web"))).toBe(0x6009e864);
  expect(bucketHash(encoder.encode(""), encoder.encode("ünï"))).toBe(0x5deeba0a);
});

test("[CO45] a key as a record holds it has the same hash, however long its texts are", () => {
  const text = fc.oneof(
    fc.string({ unit: character }),
    fc.nat(20_000).map((length) => "é".repeat(length)),
  );
  fc.assert(
    fc.property(text, text, (namespace, name) => {
      const writer = new ByteWriter();
      writer.text(namespace);
      writer.text(name);
      expect(bucketHashOfKey(writer.view())).toBe(bucketHash(encoder.encode(namespace), encoder.encode(name)));
    }),
    { numRuns: 50 },
  );
});

test("[CO45] doubling the buckets splits each one in two", () => {
  fc.assert(
    fc.property(
      fc.string(),
      fc.string({ unit: character }),
      fc.integer({ min: 0, max: 15 }),
      (namespace, name, power) => {
        const half = bucketOf({ namespace, name }, 2 ** power);
        const full = bucketOf({ namespace, name }, 2 ** (power + 1));
        expect([half, half + 2 ** power]).toContain(full);
      },
    ),
  );
});

test("[CO45] texts and their bytes fall into the same bucket", () => {
  fc.assert(
    fc.property(fc.string({ unit: character }), fc.string({ unit: character }), (namespace, name) => {
      expect(bucketOfBytes(encoder.encode(namespace), encoder.encode(name), 1024)).toBe(
        bucketOf({ namespace, name }, 1024),
      );
    }),
  );
});

test("[CO45] names that differ in a counter spread evenly", () => {
  const counts = new Uint32Array(64);
  for (let at = 0; at < 64_000; at += 1) {
    const bucket = bucketOf({ namespace: `team-${at % 10}`, name: `web-${at}` }, 64);
    counts[bucket] = (counts[bucket] ?? 0) + 1;
  }
  // 1,000 expected; five standard deviations of a fair spread are 158.
  expect(Math.min(...counts)).toBeGreaterThan(840);
  expect(Math.max(...counts)).toBeLessThan(1160);
});

test.each([0, 3, 131_072, 1.5])("[CO45] %d buckets are a bug", (count) => {
  expect(() => bucketOf({ namespace: "", name: "a" }, count)).toThrow("power of two");
});

test("[SE24] the code of a bucket names the bucket and their number, and nothing else is a code", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 16 }), fc.nat(), (power, drawn) => {
      const bucketCount = 2 ** power;
      const bucket = drawn % bucketCount;
      expect(parseBucketCode(bucketCode(bucketCount, bucket))).toEqual({ bucketCount, bucket });
    }),
  );
  for (const code of [0, -1, 1.5, 2 * maxBucketCount, Number.NaN]) expect(parseBucketCode(code)).toBeUndefined();
});
