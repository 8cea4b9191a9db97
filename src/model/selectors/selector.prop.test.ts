// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { hasCode } from "../../base/error.ts";
import { parseFieldSelector } from "./field-selector.ts";
import { matchesLabels } from "./label-selector.ts";
import { parseLabelSelector } from "./label-selector-parse.ts";

/** Any character, with those that are special somewhere often. */
const character = fc.oneof(
  fc.constantFrom("a", "/", "%", ":", ".", ",", "=", "\\", "\u0000", "\ufeff", "\ufffd", "\u{10000}"),
  fc.integer({ min: 0, max: 0xd7ff }).map((point) => String.fromCodePoint(point)),
  fc.integer({ min: 0xe000, max: 0x10ffff }).map((point) => String.fromCodePoint(point)),
);

const key = fc.constantFrom("a", "b", "in", "notin", "example.com/c");
const value = fc.constantFrom("", "x", "y", "7", "in");
const labels = fc.dictionary(key, value).map((object) => new Map(Object.entries(object)));

test("[CO52] = and != are opposites for every set of labels, and so are a key and its negation", () => {
  fc.assert(
    fc.property(key, value, labels, (k, v, each) => {
      const isSelected = (text: string): boolean => matchesLabels(parseLabelSelector(text), each);
      expect(isSelected(`${k}=${v}`)).toBe(!isSelected(`${k}!=${v}`));
      expect(isSelected(k)).toBe(!isSelected(`!${k}`));
      expect(isSelected(`${k} in (${v},q)`)).toBe(!isSelected(`${k} notin (${v},q)`));
    }),
  );
});

/** Where the text is refused; undefined when it is not. */
function refusedAt(parse: (text: string) => unknown, text: string): number | undefined {
  try {
    parse(text);
    return undefined;
  } catch (reason) {
    if (!hasCode(reason, "INVALID_ARGUMENT")) throw reason;
    return Number(reason.ids["position"]);
  }
}

test("[CO55] any text is a selector or refused with a position inside it", () => {
  const mark = fc.constantFrom("a", "=", "!", "(", ")", ",", "<", " ", "\\", "in", "notin", "ü", "\u0000");
  const text = fc.array(mark).map((marks) => marks.join(""));
  fc.assert(
    fc.property(text, fc.constantFrom(parseLabelSelector, parseFieldSelector), (given, parse) => {
      const position = refusedAt(parse, given) ?? 1;
      expect(position).toBeGreaterThanOrEqual(1);
      expect(position).toBeLessThanOrEqual(given.length + 1);
    }),
    { numRuns: 1000 },
  );
});

test("[CO54] a field selector takes a value of any characters, escaped", () => {
  fc.assert(
    fc.property(fc.string({ unit: character, maxLength: 20 }), (value) => {
      const escaped = value.replaceAll(/[\\,=]/g, (special) => `\\${special}`);
      expect(parseFieldSelector(`f=${escaped}`)).toEqual([{ field: "f", operator: "equals", value }]);
    }),
  );
});
