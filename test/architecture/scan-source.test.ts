// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { scanSource } from "../../scripts/scan-source.ts";

/** The code that is left, with runs of blanks as one, so that a test reads easily. */
function codeOf(text: string): string {
  return scanSource(text).code.replaceAll(/\s+/g, " ").trim();
}

/** What the scanner tells apart, so that random text is full of borders. */
const pieces = ['"', "'", "`", "/", "\\", "*", "${", "{", "}", "[", "]", "(", ")", "a", "return", " ", "\n"];

describe("scanning a source", () => {
  test.each([
    ["a line comment", "a; // b; 'c'\nd;", "a; d;"],
    ["a block comment over lines", "a; /* b;\n * c */ d;", "a; d;"],
    ["a string with an escaped quote", String.raw`f("a\"b // c"); d;`, 'f(" "); d;'],
    ["a comment mark in a string", "f('// a'); d;", "f(' '); d;"],
    ["a template with code, itself with a template", "f(`a ${b + `c ${d} e`} g`); h;", "f(` ${b + ` ${d} `} `); h;"],
    ["a brace inside the code of a template", "f(`a ${g({ h: 1 })} b`); c;", "f(` ${g({ h: 1 })} `); c;"],
    ["a regular expression with a quote and a class", `x = /["'/[/]]"/g.test(a); b;`, "x = / /g.test(a); b;"],
    ["a regular expression after return", "return /'/.test(a); b;", "return / /.test(a); b;"],
    ["a division", "a = b / c; d = 'e' / f;", "a = b / c; d = ' ' / f;"],
    ["a division after brackets", "a = (b) / c[0] / d; e;", "a = (b) / c[0] / d; e;"],
    ["an interpreter line", "#!/usr/bin/env node\na;", "a;"],
    ["a string that is never closed", "a = 'b\nc;", "a = ' c;"],
  ])("%s", (_name, text, expected) => {
    expect(codeOf(text)).toBe(expected);
  });

  test("every character keeps its place, and literals are the text between their quotes", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...pieces) }), (text) => {
        const { code, literals } = scanSource(text);
        expect(code).toHaveLength(text.length);
        expect(code.split("\n").map((line) => line.length)).toEqual(text.split("\n").map((line) => line.length));
        for (let at = 0; at < text.length; at += 1) expect([" ", text[at]]).toContain(code[at]);
        for (const literal of literals) {
          expect(text.slice(literal.start + 1).startsWith(literal.text)).toBe(true);
        }
      }),
    );
  });
});
