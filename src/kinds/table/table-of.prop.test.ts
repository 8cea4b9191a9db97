// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { resourceIdText } from "../../model/gvr.ts";
import { anyContent } from "../../model/row-batch/testing/any-row.ts";
import type { ColumnValue } from "../../model/rows/row.ts";
import { defaultKinds, derivedKinds } from "../all-kinds.ts";
import { secretKind } from "../secret-kind.ts";
import { tableOf } from "./table-of.ts";

const anyValue: fc.Arbitrary<ColumnValue> = fc.oneof(
  fc.string({ maxLength: 6 }),
  fc.constantFrom("HelmRepository/a/b", "2/3", "__proto__"),
  fc.maxSafeInteger(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.array(fc.oneof(fc.string({ maxLength: 6 }), fc.json({ maxDepth: 2 })), { maxLength: 5 }),
);

/** Each kind with the columns of its rows, and one that no file names. */
const shapes = [...defaultKinds, ...derivedKinds, secretKind].map(({ resource, columns }) => ({
  resource: resourceIdText(resource),
  names: [...columns.map(({ name }) => name), "cut"],
}));
const anyShape = fc.constantFrom(...shapes, { resource: "cert-manager.io/certificates", names: ["conditions"] });

const anyRow = fc
  .tuple(anyShape, anyContent)
  .chain(([{ resource, names }, content]) =>
    fc
      .array(fc.tuple(fc.constantFrom(...names), anyValue), { maxLength: names.length })
      .map((pairs) => ({ resource, row: { ...content, columns: new Map([...content.columns, ...pairs]) } })),
  );

test("[KI3] [KI30] any row of any kind has one cell for each column, whatever its columns hold", () => {
  fc.assert(
    fc.property(anyRow, fc.maxSafeInteger(), ({ resource, row }, nowMs) => {
      const { columns, cells } = tableOf(resource);
      const printed = cells(row, nowMs);
      expect(printed).toHaveLength(columns.length);
      for (const cell of printed)
        expect(cell === null || ["string", "number", "boolean"].includes(typeof cell)).toBe(true);
    }),
    { numRuns: 500 },
  );
});
