// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createHasher } from "../../model/rows/hasher.ts";
import { createRowTest } from "../scan/row-test.ts";
import { holdsFor } from "../scan/testing/holds-for.ts";
import { createRowValueReader, type RowValue } from "./row-value.ts";
import { anyContents, anyCountedField, anyQuestion, testColumns } from "./testing/any-request.ts";
import { PlainFleet, twoClusters } from "./testing/plain-fleet.ts";
import { plainValues } from "./testing/plain-values.ts";

const hasher = await createHasher();
const place = fc.constantFrom(...twoClusters);
const nowMs = 1_000;

function listValues(value: RowValue): readonly (string | number)[] {
  if (value === undefined) return [];
  if (typeof value === "object") return [...new Set(value)];
  return [typeof value === "boolean" ? String(value) : value];
}

describe("[QL18] single rows that changed", () => {
  test("are selected by a filter as the rows of tables are", () => {
    fc.assert(
      fc.property(anyQuestion, anyContents, place, ({ filter }, contents, at) => {
        const fleet = new PlainFleet(hasher, testColumns);
        fleet.fold(at, contents);
        const isSelected = createRowTest(filter);
        for (const { row, resource, fields } of fleet.rows())
          expect(isSelected(row, { resource, fields, nowMs })).toBe(holdsFor(filter, { row, resource, fields, nowMs }));
      }),
      { numRuns: 500 },
    );
  });

  test("have the values of fields that the rows of tables have", () => {
    fc.assert(
      fc.property(anyCountedField, anyContents, place, (ref, contents, at) => {
        const read = createRowValueReader(ref);
        expect(read === undefined).toBe(ref.field === "image");
        const fleet = new PlainFleet(hasher, testColumns);
        fleet.fold(at, contents);
        for (const found of fleet.rows()) {
          const { row, resource, fields } = found;
          if (read !== undefined)
            expect(listValues(read(row, { resource, fields, nowMs }))).toEqual(plainValues(ref, found, nowMs));
        }
      }),
      { numRuns: 200 },
    );
  });
});
