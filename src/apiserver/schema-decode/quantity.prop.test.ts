// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalQuantity, compareQuantities, formatQuantity, parseQuantity, QuantityError } from "./quantity.ts";

const suffixes = ["", "n", "u", "m", "k", "M", "G", "T", "P", "Ki", "Mi", "Gi", "Ti", "Pi", "e3", "e-3", "E6", "e+2"];
const quantityTexts = fc
  .tuple(fc.constantFrom("", "-", "+"), fc.stringMatching(/^[0-9]{1,12}(\.[0-9]{0,6})?$/), fc.constantFrom(...suffixes))
  .map((parts) => parts.join(""));

test("the canonical text is its own canonical text and names the same amount", () => {
  fc.assert(
    fc.property(quantityTexts, (text) => {
      const quantity = parseQuantity(text);
      const canonical = formatQuantity(quantity);
      expect(canonicalQuantity(canonical)).toBe(canonical);
      expect(compareQuantities(parseQuantity(canonical), quantity)).toBe(0);
    }),
    { numRuns: 500 },
  );
});

test("comparison agrees with numbers where doubles are exact", () => {
  const amounts = fc.tuple(fc.integer({ min: -1e6, max: 1e6 }), fc.integer({ min: -9, max: 9 }));
  fc.assert(
    fc.property(amounts, amounts, ([a, tenA], [b, tenB]) => {
      const exact = (value: number, ten: number): bigint => BigInt(value) * 10n ** BigInt(ten + 9);
      const difference = exact(a, tenA) - exact(b, tenB);
      const order = compareQuantities(parseQuantity(`${a}e${tenA}`), parseQuantity(`${b}e${tenB}`));
      expect(order).toBe(difference < 0n ? -1 : Number(difference > 0n));
    }),
  );
});

test("no text is answered with anything but a quantity or a QuantityError", () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(..."0123456789.+-eEiKMGn".split("")) })),
      (text) => {
        try {
          expect(typeof canonicalQuantity(text)).toBe("string");
        } catch (reason) {
          expect(reason).toBeInstanceOf(QuantityError);
        }
      },
    ),
    { numRuns: 500 },
  );
});
