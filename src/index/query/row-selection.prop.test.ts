// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { selectTop } from "./row-selection.ts";

test("[QL9] the best rows are those of a sort of all, however many are held meanwhile", () => {
  const keys = fc.array(fc.nat({ max: 20 }), { maxLength: 120 });
  fc.assert(
    fc.property(keys, fc.integer({ min: 1, max: 12 }), fc.boolean(), (values, most, isAll) => {
      const rows = Uint32Array.from(values.keys()).filter((row) => isAll || row % 3 !== 0);
      const compare = (a: number, b: number): number => (values[a] ?? 0) - (values[b] ?? 0) || a - b;
      const isOut = (row: number): boolean => values[row] === 7;
      const expected = [...rows]
        .filter((row) => !isOut(row))
        .sort(compare)
        .slice(0, most);
      expect(selectTop({ rows, count: rows.length, isAll }, most, compare, isOut)).toEqual(expected);
    }),
  );
});
