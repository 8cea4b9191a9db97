// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { hashName, hashNamespace, sessionBucketCount } from "../../model/rows/bucket.ts";
import { bucketHash } from "../../model/rows/testing/key-digests.ts";
import { IdColumn } from "./id-column.ts";
import { RowIndex } from "./row-index.ts";

// Few buckets and few high bits, so that keys crowd and slots of neighbours are taken.
const hash = fc.oneof(
  fc.integer({ min: 0, max: 0xffff_ffff }),
  fc
    .tuple(fc.nat({ max: 3 }), fc.nat({ max: 6 }))
    .map(([bucket, high]) => ((high << 10) | ((1_021 + bucket) % 1_024)) >>> 0),
);

/** Keys by row: the hash stands for the key, with a number as its name. */
class IndexedRows {
  readonly index: RowIndex;
  readonly namespaces = new IdColumn(400);
  readonly names = new IdColumn(400);
  readonly keys: { readonly hash: number; readonly name: number }[] = [];

  constructor(index = new RowIndex()) {
    this.index = index;
    index.hashes.resize(400, 0);
  }

  find(key: number, name: number): number {
    return this.index.find(this, key, 0, name);
  }

  add(key: number, name: number): void {
    this.names.append(this.keys.length, name);
    this.keys.push({ hash: key, name });
    this.index.append(key, this.keys.length);
  }

  remove(row: number): void {
    const last = this.keys.length - 1;
    this.index.remove(row);
    const moved = this.keys.pop();
    if (row === last || moved === undefined) return;
    this.index.move(last, row);
    this.names.move(last, row);
    this.keys[row] = moved;
  }
}

test("[SE24] every key that is in is found, no other is, and buckets list their rows", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(hash, fc.nat({ max: 2 }), fc.boolean()), { maxLength: 300 }), (steps) => {
      const rows = new IndexedRows();
      for (const [key, name, removes] of steps) {
        const expected = rows.keys.findIndex((each) => each.hash === key && each.name === name);
        const row = rows.find(key, name);
        expect(row).toBe(expected);
        if (row === -1) rows.add(key, name);
        else if (removes) rows.remove(row);
      }
      const inBucket = (bucket: number): number[] =>
        [...rows.keys.keys()].filter((row) => (rows.keys[row]?.hash ?? 0) % sessionBucketCount === bucket);
      for (const bucket of new Set([0, 1_021, 1_023, ...steps.map(([key]) => key % sessionBucketCount)]))
        expect(rows.index.inBucket(bucket).sort((a, b) => a - b)).toEqual(inBucket(bucket));
    }),
    { numRuns: 150 },
  );
});

test("a copy finds what its original found, and neither sees what the other does afterwards", () => {
  fc.assert(
    fc.property(fc.uniqueArray(hash, { maxLength: 150 }), fc.nat({ max: 400 }), (hashes, moreCount) => {
      const rows = new IndexedRows();
      for (const key of hashes) rows.add(key, 1);
      const shared = rows.index.share();
      for (const _ of shared.ownInSteps(hashes.length + moreCount));
      expect(shared.sharedBytes).toBe(0);
      for (let row = hashes.length - 1; row >= 0; row -= 1) rows.remove(row);
      for (const [row, key] of hashes.entries()) {
        expect(rows.find(key, 1)).toBe(-1);
        expect(shared.find(rows, key, 0, 1)).toBe(row);
      }
    }),
    { numRuns: 60 },
  );
});

test("a large index is copied in steps into a larger one", () => {
  const rowCount = 120_000;
  const index = new RowIndex();
  index.hashes.resize(rowCount, 0);
  for (let row = 0; row < rowCount; row += 1) index.append(Math.imul(row, 0x9e37_79b1) >>> 0, row + 1);
  const shared = index.share();
  const steps = [...shared.ownInSteps(rowCount * 4)];
  expect(Math.max(...steps)).toBeLessThanOrEqual(2 * 1024 * 1024);
  const keys = { namespaces: { values: new Uint8Array(rowCount) }, names: { values: new Uint8Array(rowCount) } };
  for (let row = 0; row < rowCount; row += 997)
    expect(shared.find(keys, Math.imul(row, 0x9e37_79b1) >>> 0, 0, 0)).toBe(row);
});

test("[CO45] the hash of a key inside a larger array is that of its bucket", () => {
  const text = fc.uint8Array({ maxLength: 20 });
  fc.assert(
    fc.property(text, text, (namespace, name) => {
      const bytes = Uint8Array.from([7, ...namespace, ...name, 9]);
      const end = 1 + namespace.length;
      expect(hashName(hashNamespace(bytes, 1, end), bytes, end, end + name.length)).toBe(bucketHash(namespace, name));
    }),
  );
});
