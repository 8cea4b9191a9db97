// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { sessionBucketCount } from "../../model/bucket.ts";
import { KeyIndex } from "./key-index.ts";

// Few buckets and few high bits, so that keys crowd and slots of neighbours are taken.
const hash = fc.oneof(
  fc.integer({ min: 0, max: 0xffff_ffff }),
  fc
    .tuple(fc.nat({ max: 3 }), fc.nat({ max: 6 }))
    .map(([bucket, high]) => ((high << 10) | ((1_021 + bucket) % 1_024)) >>> 0),
);

test("every key that is in is found, no other is, and buckets list their keys", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(hash, fc.boolean()), { maxLength: 300 }), (steps) => {
      const index = new KeyIndex();
      const model = new Map<number, number>();
      const hashes: number[] = [];
      for (const [at, [key, removes]] of steps.entries()) {
        const slot = index.find(key, (ref) => hashes[ref] === key);
        expect(slot === -1 ? undefined : index.refAt(slot)).toBe(model.get(key));
        if (removes && slot !== -1) {
          index.removeAt(slot);
          model.delete(key);
        } else if (slot === -1) {
          hashes[at] = key;
          index.insert(key, at);
          model.set(key, at);
        }
      }
      expect(index.count).toBe(model.size);
      for (const [key, ref] of model) {
        const slot = index.find(key, (of) => hashes[of] === key);
        expect(index.refAt(slot)).toBe(ref);
      }
      for (const bucket of new Set([
        0,
        1_021,
        1_022,
        1_023,
        ...[...model.keys()].map((key) => key % sessionBucketCount),
      ])) {
        const expected = [...model].filter(([key]) => key % sessionBucketCount === bucket).map(([, ref]) => ref);
        expect(index.inBucket(bucket).sort((a, b) => a - b)).toEqual(expected.sort((a, b) => a - b));
      }
      const visited = new Map<number, number>();
      index.forEach((ref, bucket) => visited.set(ref, bucket));
      expect(visited).toEqual(new Map(Array.from(model, ([key, ref]) => [ref, key % sessionBucketCount])));
    }),
    { numRuns: 200 },
  );
});
