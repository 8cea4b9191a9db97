// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { hasCode } from "../base/error.ts";
import { fieldSelectorText, parseFieldSelector } from "./field-selector.ts";
import { labelSelectorText, matchesLabels } from "./label-selector.ts";
import { parseLabelSelector } from "./label-selector-parse.ts";

/** Any character, with those that are special somewhere often. */
const character = fc.oneof(
  fc.constantFrom("a", "/", "%", ":", ".", ",", "=", "\\", "\u0000", "\ufeff", "\ufffd", "\u{10000}"),
  fc.integer({ min: 0, max: 0xd7ff }).map((point) => String.fromCodePoint(point)),
  fc.integer({ min: 0xe000, max: 0x10ffff }).map((point) => String.fromCodePoint(point)),
);

const key = fc.constantFrom("a", "b", "in", "notin", "example.com/c");
const value = fc.constantFrom("", "x", "y", "7", "in");
const requirement = fc.oneof(
  key,
  key.map((each) => `!${each}`),
  fc.tuple(key, fc.constantFrom("=", "==", "!="), value).map((parts) => parts.join("")),
  fc.tuple(key, fc.constantFrom(">", "<"), fc.integer({ min: 0, max: 20 })).map((parts) => parts.join("")),
  fc
    .tuple(key, fc.constantFrom("in", "notin"), fc.array(value, { maxLength: 3 }))
    .map(([each, operator, values]) => `${each} ${operator} (${values.join(",")})`),
);
const selectorText = fc.array(requirement, { maxLength: 4 }).map((each) => each.join(","));
const labels = fc.dictionary(key, value).map((object) => new Map(Object.entries(object)));

test("[CO53] the canonical text selects the same and is its own canonical text", () => {
  fc.assert(
    fc.property(selectorText, labels, (text, each) => {
      const selector = parseLabelSelector(text);
      const canonical = labelSelectorText(selector);
      const again = parseLabelSelector(canonical);
      expect(labelSelectorText(again)).toBe(canonical);
      expect(matchesLabels(again, each)).toBe(matchesLabels(selector, each));
    }),
  );
});

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

test("[CO54] a value of any characters survives the canonical text of a field selector", () => {
  fc.assert(
    fc.property(fc.string({ unit: character, maxLength: 20 }), (value) => {
      const text = fieldSelectorText([{ field: "f", operator: "equals", value }]);
      expect(parseFieldSelector(text)).toEqual([{ field: "f", operator: "equals", value }]);
    }),
  );
});
