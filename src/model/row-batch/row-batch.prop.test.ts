// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { parseClusterId } from "../cluster-id.ts";
import { hashName, hashNamespace } from "../rows/bucket.ts";
import { createHasher } from "../rows/hasher.ts";
import type { ColumnValue, Row, RowDelete } from "../rows/row.ts";
import { RowSealer } from "../rows/row-sealer.ts";
import { compareUtf8 } from "../text.ts";
import { decodeRowBatch } from "./decode.ts";
import { decodeKeys } from "./decode-keys.ts";
import { encodeRowBatch } from "./encode.ts";
import { anyColumns, anyContent, anyDelete, keyTextOf } from "./testing/any-row.ts";

const hasher = await createHasher();
const resource = { group: "apps", resource: "deployments" };
const sealer = new RowSealer(parseClusterId("c1"), resource, hasher);

const rowSet = fc
  .uniqueArray(anyContent, { selector: keyTextOf, maxLength: 12 })
  .map((contents) => contents.map((each) => sealer.seal(each)));
const deleteSet = fc.uniqueArray(anyDelete, { selector: keyTextOf, maxLength: 6 });

function encode(rows: readonly Row[], deletes: readonly RowDelete[] = []): Uint8Array {
  return encodeRowBatch({ resource, kind: "Deployment", columns: anyColumns, rows, deletes }, hasher);
}

function wellFormed(map: ReadonlyMap<string, string>): Map<string, string> {
  return new Map(Array.from(map, ([key, value]) => [key, value.toWellFormed()] as const));
}

/** What a row reads back as (CO26). */
function expected(row: Row): Row {
  const columns = new Map<string, ColumnValue>();
  for (const [column, value] of row.columns) {
    if (typeof value === "string") columns.set(column, value.toWellFormed());
    else columns.set(column, typeof value === "object" ? value.map((each) => each.toWellFormed()) : value);
  }
  return {
    ...row,
    reason: row.reason.toWellFormed(),
    message: row.message.toWellFormed(),
    labels: wellFormed(row.labels),
    annotations: wellFormed(row.annotations),
    columns,
  };
}

function inOrder<Keyed extends RowDelete>(all: readonly Keyed[]): Keyed[] {
  return all.toSorted((a, b) => compareUtf8(a.namespace, b.namespace) || compareUtf8(a.name, b.name));
}

test("[CO20][CO22][CO25][CO26][CO29] rows and deletes read back equal, in key order", () => {
  fc.assert(
    fc.property(rowSet, deleteSet, (rows, deletes) => {
      const batch = decodeRowBatch(encode(rows, deletes), hasher);
      expect([...batch.rows()]).toEqual(inOrder(rows).map(expected));
      expect([...batch.deletes()]).toEqual(inOrder(deletes));
      expect([batch.rowCount, batch.deleteCount]).toEqual([rows.length, deletes.length]);
    }),
    { numRuns: 100 },
  );
});

test("[CO28] equal rows in any order give equal bytes", () => {
  fc.assert(
    fc.property(rowSet, deleteSet, fc.array(fc.nat(), { minLength: 16, maxLength: 16 }), (rows, deletes, places) => {
      const shuffle = <Value>(all: readonly Value[]): Value[] =>
        all
          .map((value, at) => ({ value, place: places[at] ?? 0 }))
          .sort((a, b) => a.place - b.place)
          .map(({ value }) => value);
      const shuffled = shuffle(rows).map((row) => ({ ...row, labels: new Map(shuffle([...row.labels])) }));
      expect(encode(shuffled, shuffle(deletes))).toEqual(encode(rows, deletes));
    }),
  );
});

test("[CO40][CO41] hashing what was read back gives the hash that travelled", () => {
  fc.assert(
    fc.property(rowSet, (rows) => {
      const batch = decodeRowBatch(encode(rows), hasher);
      for (const row of batch.rows()) expect(sealer.seal(row).rowHash).toBe(row.rowHash);
    }),
  );
});

const encoder = new TextEncoder();

function keyHash({ namespace, name }: RowDelete): number {
  const [space, own] = [encoder.encode(namespace), encoder.encode(name)];
  return hashName(hashNamespace(space, 0, space.length), own, 0, own.length);
}

test("[CO36][CO45] keys read alone are those of the rows and deletes", () => {
  fc.assert(
    fc.property(rowSet, deleteSet, (rows, deletes) => {
      expect(decodeKeys(encode(rows, deletes), hasher)).toEqual({
        resource,
        kind: "Deployment",
        rows: Uint32Array.from(inOrder(rows).map(keyHash)),
        deletes: Uint32Array.from(inOrder(deletes).map(keyHash)),
      });
    }),
    { numRuns: 100 },
  );
});
