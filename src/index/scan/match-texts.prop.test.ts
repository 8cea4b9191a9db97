// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { TextTest } from "../language/query-predicate.ts";
import { SearchedTexts } from "../table/searched-texts.ts";
import { TextDictionary } from "../table/text-dictionary.ts";
import { ByteSearch } from "./byte-search.ts";
import { createTextTest, matchTexts } from "./match-texts.ts";

const encoder = new TextEncoder();
const word = fc.constantFrom("web", "Web", "-1", "back-off", "é", "É", "Σ", "ς", "x".repeat(70), "\\", "*");
const text = fc.array(word, { maxLength: 4 }).map((words) => words.join(""));
const pattern = fc
  .array(fc.constantFrom("web", "-", "back", "*", "?", "\\*", "\\\\", "é", "σ", "x".repeat(60)), { maxLength: 3 })
  .map((parts) => parts.join(""));
const textTest: fc.Arbitrary<TextTest> = fc.oneof(
  text.map((each) => ({ kind: "equals" as const, text: each })),
  pattern.map((each) => ({ kind: "matches" as const, pattern: each })),
  pattern.map((each) => ({ kind: "contains" as const, pattern: each.toLowerCase() })),
);

test("[QL4] [QL6] a search over a dictionary finds the texts that pass, among all or among those to search", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(text, fc.boolean()), { maxLength: 30 }), textTest, (texts, given) => {
      const dictionary = new TextDictionary();
      const searched = new SearchedTexts(dictionary);
      for (const [each, isSearched] of texts) {
        const id = dictionary.intern(encoder.encode(each));
        if (isSearched) searched.add(id);
      }
      const passes = createTextTest(given);
      const ids = Array.from({ length: dictionary.count }, (_, id) => id);
      const found = (match: ReturnType<typeof matchTexts>): readonly number[] => {
        if (match.kind === "some") return ids.filter((id) => match.isMatched[id] === 1);
        return match.kind === "one" ? [match.id] : [];
      };
      const expected = ids.filter((id) => passes(dictionary.get(id)));
      expect(found(matchTexts(dictionary, given))).toEqual(expected);
      const isSearched = (id: number): boolean => id === 0 || searched.has(id);
      expect(found(matchTexts(dictionary, given, { searched })).filter(isSearched)).toEqual(
        expected.filter(isSearched),
      );
    }),
    { numRuns: 300 },
  );
});

test("bytes are found where they first occur before the end of a range", () => {
  const bytes = fc.array(fc.nat({ max: 2 }), { maxLength: 200 }).map((all) => Uint8Array.from(all));
  fc.assert(
    fc.property(
      bytes,
      bytes.map((all) => all.subarray(0, 3)).filter(({ length }) => length > 0),
      fc.nat({ max: 200 }),
      fc.nat({ max: 200 }),
      (given, wanted, a, b) => {
        const [from, end] = [Math.min(a, b, given.length), Math.min(Math.max(a, b), given.length)];
        // Not at the beginning of its buffer, as the texts of a dictionary may be.
        const range = new Uint8Array([9, 9, ...given]).subarray(2);
        const find = new ByteSearch(wanted).open(range, from, end);
        const isAt = (at: number): boolean =>
          at >= from && at + wanted.length <= end && wanted.every((byte, on) => given[at + on] === byte);
        expect(find(from)).toBe(Array.from({ length: given.length + 1 }, (_, at) => at).find(isAt) ?? -1);
      },
    ),
    { numRuns: 300 },
  );
});
