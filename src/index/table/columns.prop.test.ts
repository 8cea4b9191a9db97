// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { IdColumn } from "./id-column.ts";
import { NumberColumn } from "./number-column.ts";

const rowCount = 12;
const row = fc.nat({ max: rowCount - 1 });
const id = fc.oneof(fc.nat({ max: 4 }), fc.constantFrom(0, 255, 256, 65_535, 65_536, 0xffff_fffe));
const number = fc.oneof(
  fc.constantFrom(Number.NaN, 0, -0, 254, 255, 256, 1_000, 65_535, 0xffff_fffd, 0xffff_fffe, 0xffff_ffff),
  fc.constantFrom(1_700_000_000_000, 1_700_000_000_001, -1, 0.5, 4_294_967_294_000, 4_294_967_295_000),
  fc.integer({ min: 0, max: 5 }).map((seconds) => seconds * 1_000),
  fc.double({ noDefaultInfinity: true }),
);
/** Values of some rows at a time, as a step of a fold writes them. */
const writes = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<readonly (readonly [number, T])[][]> =>
  fc.array(fc.uniqueArray(fc.tuple(row, value), { selector: ([each]) => each, minLength: 1, maxLength: 4 }), {
    maxLength: 12,
  });

test("[Q-10] ids and numbers read back exactly, in whatever form they are stored, and copies do not change", () => {
  fc.assert(
    fc.property(writes(id), writes(number), (idWrites, numberWrites) => {
      const [ids, numbers] = [new IdColumn(rowCount), new NumberColumn(rowCount)];
      const plainIds = Array.from({ length: rowCount }, () => 0);
      const plainNumbers = Array.from({ length: rowCount }, () => Number.NaN);
      const read = (): unknown => [
        Array.from({ length: rowCount }, (_, at) => ids.values[at]),
        Array.from({ length: rowCount }, (_, at) => numbers.get(at)),
      ];
      const copies: [IdColumn, NumberColumn, unknown][] = [];
      for (const write of idWrites) {
        ids.write(
          Uint32Array.from(write, ([at]) => at),
          Uint32Array.from(write, ([, value]) => value),
          write.length,
          rowCount,
        );
        for (const [at, value] of write) plainIds[at] = value;
        copies.push([ids.share(), numbers.share(), read()]);
      }
      for (const write of numberWrites) {
        numbers.write(
          Uint32Array.from(write, ([at]) => at),
          Float64Array.from(write, ([, value]) => value),
          write.length,
          rowCount,
        );
        for (const [at, value] of write) plainNumbers[at] = value;
        copies.push([ids.share(), numbers.share(), read()]);
      }
      expect(read()).toEqual([plainIds, plainNumbers]);
      expect(ids.presentCount).toBe(plainIds.filter((each) => each !== 0).length);
      expect(numbers.presentCount).toBe(plainNumbers.filter((each) => !Number.isNaN(each)).length);
      for (const [someIds, someNumbers, then] of copies)
        expect([
          Array.from({ length: rowCount }, (_, at) => someIds.values[at]),
          Array.from({ length: rowCount }, (_, at) => someNumbers.get(at)),
        ]).toEqual(then);
    }),
    { numRuns: 150 },
  );
});

test("[Q-10] small integers take one byte, whole seconds four, everything else eight", () => {
  const bytesOf = (...values: readonly number[]): number => {
    const column = new NumberColumn(8);
    column.write(Uint32Array.from(values.keys()), Float64Array.from(values), values.length, 0);
    return column.rowBytes;
  };
  expect(bytesOf(1, 2, Number.NaN)).toBe(1);
  expect(bytesOf(1, 300)).toBe(2);
  expect(bytesOf(1_700_000_000_000, 1_700_000_001_000)).toBe(4);
  expect(bytesOf(1_700_000_000_000, 5)).toBe(8);
  expect(bytesOf(-1)).toBe(8);
  expect(bytesOf(0.5)).toBe(8);
});
