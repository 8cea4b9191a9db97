// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { parseClusterId } from "../../model/cluster-id.ts";
import { decodeRowBatch } from "../../model/row-batch/decode.ts";
import { encodeRowBatch } from "../../model/row-batch/encode.ts";
import type { RowBatch } from "../../model/row-batch/row-batch.ts";
import { anyColumns, anyContent, anyDelete, keyTextOf } from "../../model/row-batch/testing/any-row.ts";
import { sessionBucketCount } from "../../model/rows/bucket.ts";
import { createHasher } from "../../model/rows/hasher.ts";
import type { Row } from "../../model/rows/row.ts";
import { RowSealer } from "../../model/rows/row-sealer.ts";
import { bucketOf, digestOf } from "../../model/rows/testing/key-digests.ts";
import { statuses, statusRank } from "../../model/status.ts";
import { ClusterTexts } from "./cluster-texts.ts";
import { KindTable } from "./kind-table.ts";
import { readRow } from "./read-row.ts";

const hasher = await createHasher();
const resource = { group: "apps", resource: "deployments" };
const sealer = new RowSealer(parseClusterId("c1"), resource, hasher);

const anyBatch: fc.Arbitrary<RowBatch> = fc
  .record({
    rows: fc.uniqueArray(anyContent, { selector: keyTextOf, maxLength: 12 }),
    deletes: fc.uniqueArray(anyDelete, { selector: keyTextOf, maxLength: 4 }),
  })
  .map(({ rows, deletes }) => {
    const sealed = rows.map((each) => sealer.seal(each));
    const content = { resource, kind: "Deployment", columns: anyColumns, rows: sealed, deletes };
    return decodeRowBatch(encodeRowBatch(content, hasher), hasher);
  });

function rowsOf(table: KindTable): ReadonlyMap<string, Row> {
  const rows = Array.from({ length: table.count }, (_, row) => readRow(table, row));
  return new Map(rows.map((row) => [keyTextOf(row), row] as const));
}

test("[Q-32] after any batches a table holds the rows of a plain map, with its digest and status counts", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(anyBatch, fc.boolean()), { maxLength: 8 }), (batches) => {
      const table = new KindTable(new ClusterTexts());
      const model = new Map<string, Row>();
      for (const [batch, isReplacement] of batches) {
        const known = new Set(model.keys());
        const rows = [...batch.rows()];
        const bucket = isReplacement && rows[0] !== undefined ? bucketOf(rows[0], sessionBucketCount) : undefined;
        const inBucket =
          bucket === undefined ? [] : [...model.values()].filter((row) => bucketOf(row, sessionBucketCount) === bucket);
        for (const each of batch.deletes()) {
          const held = model.get(keyTextOf(each));
          if (held !== undefined && (held.uid === each.uid || held.uid === "" || each.uid === ""))
            model.delete(keyTextOf(each));
        }
        for (const row of rows) model.set(keyTextOf(row), row);
        const named = new Set(rows.map(keyTextOf));
        for (const row of inBucket) if (!named.has(keyTextOf(row))) model.delete(keyTextOf(row));
        const changed = new Map<string, number>();
        table.fold(batch.parts, (change) => changed.set(change, (changed.get(change) ?? 0) + 1), bucket);
        expect(rowsOf(table)).toEqual(model);
        expect(table.digest).toEqual(digestOf(Array.from(model.values(), (row) => row.rowHash)));
        expect((changed.get("added") ?? 0) - (changed.get("removed") ?? 0)).toBe(model.size - known.size);
        for (const status of statuses)
          expect(table.statusCount(statusRank(status))).toBe(
            [...model.values()].filter((row) => row.status === status).length,
          );
      }
    }),
    { numRuns: 60 },
  );
});
