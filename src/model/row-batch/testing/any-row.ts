// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { isObjectName } from "../../object-name.ts";
import { type ColumnSpec, type RowContent, type RowDelete, toResourceVersion } from "../../rows/row.ts";
import { maxRowTimeMs, minRowTimeMs } from "../../rows/row-check.ts";
import { statuses } from "../../status.ts";

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

/** The columns of `anyContent`. */
export const anyColumns: readonly ColumnSpec[] = [
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
/** The content of any row that a batch can hold. */
export const anyContent: fc.Arbitrary<RowContent> = fc
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

/** The key of a row or delete as one text. */
export function keyTextOf(keyed: Pick<RowDelete, "namespace" | "name">): string {
  return `${keyed.namespace}/${keyed.name}`;
}

/** Any delete. */
export const anyDelete: fc.Arbitrary<RowDelete> = fc.record({ namespace: label, name, uid });
