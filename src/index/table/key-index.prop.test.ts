// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { sessionBucketCount } from "../../model/rows/bucket.ts";
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

function forkOf(index: KeyIndex, moreCount: number): { readonly fork: KeyIndex; readonly stepCount: number } {
  const forking = index.forkInSteps(moreCount);
  for (let stepCount = 1; ; stepCount += 1) {
    const { done, value } = forking.next();
    if (done === true) return { fork: value, stepCount };
  }
}

test("a fork finds what its original found, has room for more, and neither sees what the other does afterwards", () => {
  fc.assert(
    fc.property(fc.uniqueArray(hash, { maxLength: 200 }), fc.nat({ max: 400 }), (hashes, moreCount) => {
      const index = new KeyIndex();
      for (const [at, key] of hashes.entries()) index.insert(key, at);
      const { fork } = forkOf(index, moreCount);
      const { sizeBytes } = fork;
      const find = (of: KeyIndex, key: number, at: number): number => of.find(key, (ref) => ref === at);
      for (const [at, key] of hashes.entries()) expect(fork.refAt(find(fork, key, at))).toBe(at);
      for (let at = 0; at < moreCount; at += 1) fork.insert(at, hashes.length + at);
      expect(fork.sizeBytes).toBe(sizeBytes);
      for (const [at, key] of hashes.entries()) index.removeAt(find(index, key, at));
      expect(index.count).toBe(0);
      expect(fork.count).toBe(hashes.length + moreCount);
      for (const [at, key] of hashes.entries()) expect(fork.refAt(find(fork, key, at))).toBe(at);
    }),
    { numRuns: 100 },
  );
});

test.each([
  ["as it is", 0],
  ["into a larger one", 400_000],
])("a large table is copied in steps, %s", (_how, moreCount) => {
  const index = new KeyIndex();
  const rowCount = 200_000;
  for (let at = 0; at < rowCount; at += 1) index.insert(Math.imul(at, 0x9e37_79b1) >>> 0, at);
  const { fork, stepCount } = forkOf(index, moreCount);
  expect(stepCount).toBe(2);
  const found = new Uint8Array(rowCount);
  fork.forEach((ref) => {
    found[ref] = 1;
  });
  expect(found.every((each) => each === 1)).toBe(true);
});
