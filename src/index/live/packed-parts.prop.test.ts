// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { PackedParts } from "./packed-parts.ts";

const anyNumber = fc.oneof(fc.nat({ max: 300 }), fc.constantFrom(127, 128, 16_383, 16_384, 2 ** 31, 2 ** 32 - 1));
const anyList = fc.oneof(
  fc.array(anyNumber, { maxLength: 6 }),
  fc.array(anyNumber, { minLength: 600, maxLength: 700 }),
);

test("[QL19] lists are kept as they were set, through any changes, without growing by them", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat({ max: 5 }), anyList), { maxLength: 60 }), (changes) => {
      const parts = new PackedParts();
      const plain = new Map<number, readonly number[]>();
      parts.reserve(6);
      for (const [place, numbers] of changes) {
        expect(parts.take(place)).toEqual(plain.get(place) ?? []);
        parts.set(place, numbers);
        plain.set(place, numbers);
      }
      for (const place of plain.keys()) expect(parts.take(place)).toEqual(plain.get(place));
      expect(parts.sizeBytes).toBeLessThan(40_000);
    }),
    { numRuns: 60 },
  );
});
