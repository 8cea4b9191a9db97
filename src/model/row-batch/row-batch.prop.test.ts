// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { parseClusterId } from "../cluster-id.ts";
import { isObjectName } from "../object-name.ts";
import { createHasher } from "../rows/hasher.ts";
import {
  type ColumnSpec,
  type ColumnValue,
  type Row,
  type RowContent,
  type RowDelete,
  toResourceVersion,
} from "../rows/row.ts";
import { maxRowTimeMs, minRowTimeMs } from "../rows/row-check.ts";
import { RowSealer } from "../rows/row-sealer.ts";
import { statuses } from "../status.ts";
import { compareUtf8 } from "../text.ts";
import { decodeRowBatch } from "./decode.ts";
import { encodeRowBatch } from "./encode.ts";

const hasher = await createHasher();
const resource = { group: "apps", resource: "deployments" };
const sealer = new RowSealer(parseClusterId("c1"), resource, hasher);

const character = fc.oneof(
  fc.constantFrom("a", "b", ":", "é", "\u0000", "\ufeff", "\uffff", "\u{1f600}"),
  fc.integer({ min: 1, max: 0xd7ff }).map((point) => String.fromCodePoint(point)),
);
const text = fc.string({ unit: character, maxLength: 8 });
/** Text as a cluster may send it, lone surrogates included. */
const rawText = fc.oneof(text, fc.constantFrom("\ud800", "x\udfff", "", "__proto__", "constructor", "y".repeat(700)));
const label = fc.oneof(fc.constantFrom("", "default", "kube-system", "a", "a-b"), fc.stringMatching(/^[a-z]{1,4}$/));
const textMap = fc
  .array(fc.tuple(fc.oneof(text, fc.constant("__proto__")), rawText), { maxLength: 12 })
  .map((all) => new Map(all));
const uid = fc.oneof({ weight: 4, arbitrary: fc.uuid() }, { weight: 1, arbitrary: text });
const integer = fc.oneof(fc.maxSafeInteger(), fc.integer({ min: 0, max: 300 }));
const generation = fc.oneof(fc.nat({ max: 300 }), fc.maxSafeNat());
const time = fc.oneof(
  fc.constantFrom(0, minRowTimeMs, maxRowTimeMs),
  fc.integer({ min: minRowTimeMs, max: maxRowTimeMs }),
);
const finite = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (value === 0 ? 0 : value));
const name = fc.string({ unit: character, minLength: 1, maxLength: 6 }).filter(isObjectName);

const specs: readonly ColumnSpec[] = [
  { name: "phase", type: "string" },
  { name: "restarts", type: "integer" },
  { name: "load", type: "float" },
  { name: "ready", type: "boolean" },
  { name: "images", type: "stringList" },
  { name: "__proto__", type: "string" },
  { name: "never", type: "float" },
];

const columnMap = fc
  .record(
    {
      phase: rawText,
      restarts: integer,
      load: finite,
      ready: fc.boolean(),
      images: fc.array(rawText, { maxLength: 3 }),
      proto: text,
    },
    { requiredKeys: [] },
  )
  .map(
    ({ proto, ...values }) =>
      new Map([...Object.entries(values), ...(proto === undefined ? [] : [["__proto__", proto] as const])]),
  );

const owner = fc.record({ group: text, kind: text, name: text, uid });
const content: fc.Arbitrary<RowContent> = fc
  .record({
    fixed: fc.record({
      namespace: label,
      name,
      uid,
      resourceVersion: fc.oneof(fc.nat().map(String), text, fc.constant("007")).map(toResourceVersion),
      generation,
      createdAt: time,
      status: fc.constantFrom(...statuses),
      reason: rawText,
      message: rawText,
      labels: textMap,
      annotations: textMap,
      columns: columnMap,
    }),
    optional: fc.record({ deletedAt: time, owner }, { requiredKeys: [] }),
  })
  .map(({ fixed, optional }) => ({ ...fixed, ...optional }));

const keyOf = (keyed: RowDelete): string => `${keyed.namespace}/${keyed.name}`;
const rowSet = fc
  .uniqueArray(content, { selector: keyOf, maxLength: 12 })
  .map((contents) => contents.map((each) => sealer.seal(each)));
const deleteSet = fc.uniqueArray(fc.record({ namespace: label, name, uid }), { selector: keyOf, maxLength: 6 });

function encode(rows: readonly Row[], deletes: readonly RowDelete[] = []): Uint8Array {
  return encodeRowBatch({ resource, kind: "Deployment", columns: specs, rows, deletes }, hasher);
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
