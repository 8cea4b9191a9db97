// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { ByteWriter } from "../../model/byte-writer.ts";
import { type ColumnValue, type Row, toResourceVersion, toRowHash } from "../../model/row.ts";
import { statuses } from "../../model/status.ts";
import { RecordReader } from "./record-reader.ts";
import { readRowContent, writeRowContent } from "./row-bytes.ts";

const text = fc.oneof(
  fc.string({ unit: "binary" }).map((one) => one.toWellFormed()),
  fc.constantFrom("__proto__", "constructor", "\ufeffbegins with a byte order mark"),
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
  fc.assert(
    fc.property(row, (kept) => {
      const writer = new ByteWriter();
      writeRowContent(writer, kept);
      const { namespace, name, uid: id, rowHash } = kept;
      expect(readRowContent(new RecordReader(writer.view()), { namespace, name, uid: id, rowHash })).toStrictEqual(
        kept,
      );
    }),
  );
});
