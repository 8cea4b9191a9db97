// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { labelSelectorProblem } from "./label-selector-problem.ts";

const requirement = "unable to parse requirement:";

// What a real server answered.
test.each([
  ["a in", `${requirement} found '' expected: '('`],
  ["a in (", `${requirement} found '', expected: ',', ')' or identifier`],
  ["a in (b", `${requirement} found '', expected: ',' or ')'`],
  ["a in (b c)", `${requirement} found 'c', expected: ',' or ')'`],
  ["a notin b", `${requirement} found 'b' expected: '('`],
  ["!", `${requirement} found '', expected: identifier`],
  ["a b", `${requirement} found 'b', expected: in, notin, =, ==, !=, gt, lt`],
  ["a===b", `${requirement} found '=', expected: identifier`],
  ["a=b,", "found '', expected: identifier after ','"],
  ["a=b=c", "found '=', expected: ',' or 'end of string'"],
  ["(a)", "found '(', expected: !, identifier, or 'end of string'"],
  ["a>x", `${requirement} values[0]: Invalid value: "x": for 'Gt', 'Lt' operators, the value must be an integer`],
])("%s", (text, problem) => expect(labelSelectorProblem(text)).toBe(problem));

test("a wrong key has no place, a wrong value that of its key", () => {
  expect(labelSelectorProblem("-a=b")).toMatch(
    /^unable to parse requirement: <nil>: Invalid value: "-a": name part must/,
  );
  expect(labelSelectorProblem("a in (ok,-b)")).toContain('values[0][a]: Invalid value: "-b": a valid label must');
});
