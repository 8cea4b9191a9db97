// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { copyJson, isEqualJson, isList, isObject } from "./json.ts";
import { stringifyJson } from "./stringify-json.ts";
import { arbitraryJson } from "./testing/arbitrary-json.ts";

test("a copy equals its original, prints the same and can be changed without it", () => {
  fc.assert(
    fc.property(arbitraryJson, (value) => {
      const before = stringifyJson(value);
      const copy = copyJson(value);
      expect(isEqualJson(copy, value)).toBe(true);
      expect(stringifyJson(copy)).toBe(before);
      if (isList(copy)) copy.push("changed");
      else if (isObject(copy)) copy["changed"] = true;
      expect(stringifyJson(value)).toBe(before);
    }),
  );
});

test("equality is symmetric, and values with the same text are equal", () => {
  fc.assert(
    fc.property(arbitraryJson, arbitraryJson, (a, b) => {
      expect(isEqualJson(a, b)).toBe(isEqualJson(b, a));
      expect(isEqualJson([a, b], [a, b])).toBe(true);
      if (stringifyJson(a) === stringifyJson(b)) expect(isEqualJson(a, b)).toBe(true);
    }),
  );
});
