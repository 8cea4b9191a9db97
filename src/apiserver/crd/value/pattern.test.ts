// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { compilePattern, type Pattern } from "./pattern.ts";

function compile(source: string): Pattern {
  const pattern = compilePattern(source);
  if (typeof pattern === "string") throw new Error(pattern);
  return pattern;
}

test("a pattern matches any part of the text, in Go's syntax", () => {
  expect(compile("b").matches("abc")).toBe(true);
  expect(compile("^b").matches("abc")).toBe(false);
  expect(compile("^a$").matches("a\n")).toBe(false);
  expect(compile(String.raw`^\pL+$`).matches("éä")).toBe(true);
  expect(compile("(?i)ABC").matches("xabcx")).toBe(true);
});

test.each([
  ["(", "error parsing regexp: missing closing ): `(`"],
  ["\\", "error parsing regexp: trailing backslash at end of expression: ``"],
  ["(?=a)", "error parsing regexp: invalid or unsupported Perl syntax: `(?=`"],
  ["(a{1000}){1000}", "error parsing regexp: invalid repeat count: `{1000}`"],
  [String.raw`(a)\1`, "error parsing regexp: invalid escape sequence: `\\1`"],
])("the error of %s is that of Go", (source, sentence) => {
  expect(compilePattern(source)).toBe(sentence);
});

test("a pattern that nests too deeply is refused whole", () => {
  const source = "(".repeat(1_100) + ")".repeat(1_100);
  expect(compilePattern(source)).toBe(`error parsing regexp: expression nests too deeply: \`${source}\``);
});

test("patterns that make a backtracking engine run for years take no time", () => {
  for (const source of ["^(a+)+$", "^(a|a)*$", "^(a|aa)+$", "(x+x+)+y"])
    expect(compile(source).matches(`${"a".repeat(20_000)}!`)).toBe(false);
});
