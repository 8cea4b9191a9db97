// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { CodeCounts } from "./code-counts.ts";

const limits = [8, 5_000] as const;
const step = fc.oneof(
  fc.record({ kind: fc.constant("one" as const), code: fc.nat({ max: 4_999 }), count: fc.integer({ min: 1, max: 3 }) }),
  fc.record({
    kind: fc.constant("rows" as const),
    codes: fc.array(fc.nat({ max: 7 }), { minLength: 1, maxLength: 30 }),
    limit: fc.constantFrom(...limits),
    isAll: fc.boolean(),
    hasVia: fc.boolean(),
  }),
  fc.record({ kind: fc.constant("drain" as const) }),
);

test("[QL11] codes are counted and drained as a map would, however many codes there are", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      const counts = new CodeCounts();
      let expected = new Map<number, number>();
      for (const each of [...steps, { kind: "drain" as const }]) {
        if (each.kind === "one") {
          counts.add(each.code, each.count);
          expected.set(each.code, (expected.get(each.code) ?? 0) + each.count);
        } else if (each.kind === "rows") {
          const { codes, limit, isAll, hasVia } = each;
          const rows = Uint32Array.from(codes.keys()).filter((row) => isAll || row % 2 === 0);
          const via = Uint32Array.from({ length: 8 }, (_, code) => (code * 3) % 8);
          const array = { codes: Uint8Array.from(codes), ...(hasVia ? { via } : {}) };
          counts.addCodes(array, { rows, count: rows.length, isAll }, limit);
          for (const row of rows) {
            const code = hasVia ? (via[codes[row] ?? 0] ?? 0) : (codes[row] ?? 0);
            expected.set(code, (expected.get(code) ?? 0) + 1);
          }
        } else {
          const drained: (readonly [number, number])[] = [];
          counts.drain((code, count) => drained.push([code, count]));
          expect(drained.sort(([a], [b]) => a - b)).toEqual([...expected].sort(([a], [b]) => a - b));
          expected = new Map();
        }
      }
    }),
  );
});
