// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { KindTable } from "../table/kind-table.ts";
import { agesIn, nextAgeChange } from "./age-changes.ts";

const moment = fc.integer({ min: 0, max: 8 });

/** A table as far as ages need it. */
function tableOf(createdAts: readonly number[]): KindTable {
  const creationTimes = { get: (row: number) => createdAts[row] ?? Number.NaN };
  return { count: createdAts.length, creationTimes } as unknown as KindTable;
}

test("[QL18] no row compares otherwise with an age before the moment that is found", () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(moment, fc.constant(Number.NaN))),
      fc.array(moment),
      moment,
      moment,
      (times, ages, a, b) => {
        const [nowMs, laterMs] = [Math.min(a, b), Math.max(a, b)];
        const compareAt = (atMs: number): readonly number[] =>
          times.flatMap((time) => ages.map((age) => Math.sign(atMs - time - age)));
        const next = nextAgeChange(tableOf(times), ages, nowMs);
        expect(next).toBeGreaterThanOrEqual(nowMs);
        if (laterMs < next) expect(compareAt(laterMs)).toEqual(compareAt(nowMs));
        if (laterMs > nowMs && laterMs >= next) expect(compareAt(laterMs)).not.toEqual(compareAt(nowMs));
      },
    ),
  );
});

test("[QL18] the ages of a predicate are found wherever they stand", () => {
  const age = (ms: number) => ({ kind: "age" as const, order: "<" as const, ms });
  const all = { kind: "all" as const };
  expect(
    agesIn({ kind: "and", parts: [age(1), { kind: "not", of: { kind: "or", parts: [age(2), all, age(1)] } }] }),
  ).toEqual([1, 2]);
  expect(agesIn(all)).toEqual([]);
});
