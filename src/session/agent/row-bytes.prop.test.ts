// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { ByteWriter } from "../../model/byte-writer.ts";
import { type ColumnValue, type Row, toResourceVersion, toRowHash } from "../../model/row.ts";
import { statuses } from "../../model/status.ts";
import { NameTable } from "./name-table.ts";
import { RecordReader } from "./record-reader.ts";
import { readRowContent, releaseRowContent, writeRowContent } from "./row-bytes.ts";
import { SharedTexts } from "./shared-texts.ts";

const text = fc.oneof(
  fc.string({ unit: "binary" }).map((one) => one.toWellFormed()),
  fc.constantFrom("__proto__", "a text that rows have alike", "another text that rows have alike"),
);
const texts = fc.array(fc.tuple(text, text), { maxLength: 4 }).map((pairs) => new Map(pairs));
const uid = fc.oneof(
  fc.uuid(),
  fc.uuid().map((one) => one.toUpperCase()),
  text,
);
const number = fc.oneof(fc.maxSafeInteger(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constant(-0));
const value: fc.Arbitrary<ColumnValue> = fc.oneof(text, number, fc.boolean(), fc.array(text, { maxLength: 3 }));
const row: fc.Arbitrary<Row> = fc
  .record(
    {
      namespace: text,
      name: text,
      uid,
      resourceVersion: text.map(toResourceVersion),
      generation: fc.maxSafeInteger(),
      createdAt: fc.maxSafeInteger(),
      deletedAt: fc.maxSafeInteger(),
      status: fc.constantFrom(...statuses),
      reason: text,
      message: text,
      labels: texts,
      annotations: texts,
      owner: fc.record({ group: text, kind: text, name: text, uid }, { noNullPrototype: true }),
      columns: fc.array(fc.tuple(text, value), { maxLength: 4 }).map((pairs) => new Map(pairs)),
    },
    { noNullPrototype: true },
  )
  .chain((full) =>
    fc.record({ isDeleted: fc.boolean(), isOwned: fc.boolean() }).map(({ isDeleted, isOwned }) => {
      const { deletedAt, owner, ...rest } = full;
      return { ...rest, ...(isDeleted ? { deletedAt } : {}), ...(isOwned ? { owner } : {}), rowHash: toRowHash(7n) };
    }),
  );

test("a row reads back as it was kept, whatever it holds", () => {
  const tables = { names: new NameTable(), shared: new SharedTexts() };
  fc.assert(
    fc.property(row, (kept) => {
      const writer = new ByteWriter();
      writeRowContent(writer, kept, tables);
      const key = { namespace: kept.namespace, name: kept.name, rowHash: kept.rowHash };
      expect(readRowContent(new RecordReader(writer.view()), key, tables)).toStrictEqual(kept);
    }),
  );
});

test("[L13] texts that rows share are held while one of the rows is, and no longer", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(row, fc.boolean()), { maxLength: 12 }), (all) => {
      const tables = { names: new NameTable(), shared: new SharedTexts() };
      const held: { readonly bytes: Uint8Array; readonly kept: Row }[] = [];
      const release = (): void => {
        const gone = held.shift();
        if (gone !== undefined) releaseRowContent(new RecordReader(gone.bytes), tables);
      };
      for (const [kept, releasesOne] of all) {
        const writer = new ByteWriter();
        writeRowContent(writer, kept, tables);
        held.push({ bytes: writer.take(), kept });
        if (releasesOne) release();
        for (const { bytes, kept: other } of held)
          expect(readRowContent(new RecordReader(bytes), other, tables).columns).toEqual(other.columns);
      }
      while (held.length > 0) release();
      expect(tables.shared.heldBytes).toBe(0);
    }),
  );
});

test("texts that find no room in the table of names stay with their rows", () => {
  const names = new NameTable();
  for (let at = 0; at < 5_000; at += 1) names.number(`key-${at}`);
  expect(names.number("key-4999")).toBe(0);
  expect(names.text(names.number("key-17"))).toBe("key-17");
  expect(names.number("x".repeat(321))).toBe(0);
});
