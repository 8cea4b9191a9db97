// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { NumberColumn } from "../table/number-column.ts";
import { keepNumbers } from "./number-range.ts";

const compare = {
  "<": (a: number, b: number): boolean => a < b,
  "<=": (a: number, b: number): boolean => a <= b,
  ">": (a: number, b: number): boolean => a > b,
  ">=": (a: number, b: number): boolean => a >= b,
  "=": (a: number, b: number): boolean => a === b,
};
const orders = ["<", "<=", ">", ">=", "="] as const;

/** Around the widths of stored numbers, where signs and overflows matter. */
const edge = fc
  .tuple(fc.constantFrom(0, 255, 65_535, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 2), fc.integer({ min: -2, max: 2 }))
  .map(([near, by]) => near + by);
const number = fc.oneof(
  edge,
  edge.filter((each) => each >= 0),
  fc.constant(Number.NaN),
  fc.constant(1.5),
);
const wanted = fc.oneof(edge, fc.constantFrom(0.5, -1, 2 ** 40, Number.POSITIVE_INFINITY));

test("[QL5] numbers of every width are kept if they compare so, and with negation the others and those without one", () => {
  const numbers = fc.oneof(
    fc.array(number, { minLength: 1, maxLength: 12 }),
    fc.array(edge.map(Math.abs), { minLength: 1, maxLength: 12 }),
  );
  fc.assert(
    fc.property(numbers, fc.constantFrom(...orders), wanted, fc.boolean(), (all, order, bound, isNegated) => {
      const column = new NumberColumn(all.length);
      const rows = Uint32Array.from(all.keys());
      column.write(rows, Float64Array.from(all), all.length, 0);
      const filter = keepNumbers(column, [{ order, value: bound }], isNegated);
      const expected = [...rows].filter((row) => compare[order](all[row] ?? Number.NaN, bound) !== isNegated);
      const keep = (isEvery: boolean): readonly number[] => {
        if (typeof filter === "string") return filter === "all" ? [...rows] : [];
        const kept = rows.slice();
        return [...kept.subarray(0, filter(kept, kept.length, isEvery))];
      };
      expect(keep(true)).toEqual(expected);
      expect(keep(false)).toEqual(expected);
    }),
    { numRuns: 500 },
  );
});
