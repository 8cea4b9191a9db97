// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { statuses } from "../status.ts";
import { ByteWriter } from "./byte-writer.ts";
import { RecordReader } from "./record-reader.ts";
import { type ColumnValue, type Row, toResourceVersion, toRowHash } from "./row.ts";
import { RowBytesReader, writeRowContent } from "./row-bytes.ts";

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
const number = fc.oneof(
  fc.maxSafeInteger(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((one) => one + 0),
);
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

test("[CO41] rows read back as they were kept, whatever they hold and whatever stands before them", () => {
  fc.assert(
    fc.property(fc.array(row, { maxLength: 6 }), fc.array(fc.nat(5)), (drawn, repeats) => {
      // Rows that have parts of others, as those of one Deployment do.
      const rows = [...drawn, ...repeats.flatMap((at) => drawn[at] ?? [])];
      const writer = new ByteWriter();
      const places = rows.map((kept) => {
        const from = writer.length;
        writeRowContent(writer, kept);
        writer.text(kept.resourceVersion);
        return from;
      });
      const reader = new RowBytesReader(new RecordReader(), writer.view());
      expect(rows.map((kept, at) => reader.read(places[at] ?? 0, kept))).toStrictEqual(rows);
    }),
  );
});
