// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createPatternTest, escapePattern, hasWildcard, literalOf } from "./text-pattern.ts";

const piece = fc.constantFrom("a", "b", "*", "?", "\\*", "\\?", "\\\\", "\\a", ".");
const text = fc.string({ unit: fc.constantFrom("a", "b", "*", "?", "\\", "."), maxLength: 10 });

/** The same pattern as a regular expression. */
function toRegExp(pieces: readonly string[]): RegExp {
  const parts = pieces.map((each) => {
    if (each === "*") return ".*";
    if (each === "?") return ".";
    return (each.startsWith("\\") ? each.slice(1) : each).replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  });
  return new RegExp(`^${parts.join("")}$`, "s");
}

test("[QL4] a pattern matches what the same regular expression matches", () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), text, (pieces, tested) => {
      expect(createPatternTest(pieces.join(""))(tested)).toBe(toRegExp(pieces).test(tested));
    }),
    { numRuns: 500 },
  );
});

test("[QL4] an escaped text has no wildcard and matches only itself", () => {
  fc.assert(
    fc.property(text, text, (one, other) => {
      const pattern = escapePattern(one);
      expect(hasWildcard(pattern)).toBe(false);
      expect(literalOf(pattern)).toBe(one);
      expect(createPatternTest(pattern)(other)).toBe(one === other);
    }),
  );
});
