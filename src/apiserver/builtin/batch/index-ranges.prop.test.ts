// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { firstCommonIndex, type IndexRange, parseIndexes } from "./index-ranges.ts";

const indexes = fc
  .uniqueArray(fc.integer({ min: 0, max: 40 }), { maxLength: 20 })
  .map((list) => list.sort((a, b) => a - b));

/** Each index by itself, or runs of neighbours as Kubernetes writes them. */
function format(list: readonly number[]): string {
  const ranges: IndexRange[] = [];
  for (const index of list) {
    const last = ranges.at(-1);
    if (last !== undefined && last.last === index - 1) ranges[ranges.length - 1] = { ...last, last: index };
    else ranges.push({ first: index, last: index });
  }
  return ranges.map(({ first, last }) => (first === last ? String(first) : `${first}-${last}`)).join(",");
}

function rangesOf(list: readonly number[]): readonly IndexRange[] {
  const parsed = parseIndexes(format(list), 41);
  if (typeof parsed === "string") throw new Error(parsed);
  return parsed.ranges;
}

test("a set of indexes is read as it was written", () => {
  fc.assert(
    fc.property(indexes, (list) => {
      const read = rangesOf(list).flatMap(({ first, last }) =>
        Array.from({ length: last - first + 1 }, (_, at) => first + at),
      );
      expect(read).toEqual(list);
    }),
  );
});

test("the first common index is the lowest in both sets", () => {
  fc.assert(
    fc.property(indexes, indexes, (a, b) => {
      expect(firstCommonIndex(rangesOf(a), rangesOf(b))).toBe(a.find((index) => b.includes(index)));
    }),
  );
});

test.each([
  ["1,1", "non-increasing order, previous: 1, current: 1"],
  ["3-2", "non-increasing order, previous: 3, current: 2"],
  ["9", 'too large index: "9"'],
  ["x", 'cannot convert string to integer for index: "x"'],
  [
    "1-2-3",
    "the fragment \"1-2-3\" violates the requirement that an index interval can have at most two parts separated by '-'",
  ],
])("%s is no set of indexes below 5", (text, sentence) => {
  expect(parseIndexes(text, 5)).toBe(sentence);
});
