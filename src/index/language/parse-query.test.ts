// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FlotillaError } from "../../base/error.ts";
import { maxQueryDepth, maxQueryLength, parseQuery } from "./parse-query.ts";
import { printQuery } from "./print-query.ts";
import type { QuerySyntax } from "./query-syntax.ts";
import { anyQuery } from "./testing/any-query.ts";

function withoutPositions(query: QuerySyntax): QuerySyntax {
  switch (query.kind) {
    case "all":
      return query;
    case "and":
    case "or":
      return { kind: query.kind, parts: query.parts.map(withoutPositions) };
    case "not":
      return { kind: "not", of: withoutPositions(query.of) };
    case "text":
      return { kind: "text", value: { ...query.value, at: 0 } };
    case "compare":
      return { ...query, at: 0, values: query.values.map((value) => ({ ...value, at: 0 })) };
  }
}

describe("query text", () => {
  test.each([
    ["", ""],
    ["  \n", ""],
    ["status:unhealthy", "status=unhealthy"],
    ["status = unhealthy", "status=unhealthy"],
    ["kind:Pod status=unhealthy", "kind=Pod status=unhealthy"],
    ["a=1 and b=2 AND c=3", "a=1 b=2 c=3"],
    ["a=1 or b=2 c=3", "a=1 or b=2 c=3"],
    ["(a=1 or b=2) c=3", "(a=1 or b=2) c=3"],
    ["not a=1", "-a=1"],
    ["-(a=1 or b=2)", "-(a=1 or b=2)"],
    ["!a=1", "-a=1"],
    ["not not a=1", "a=1"],
    ["ns:in(a, b,c)", "ns=in(a,b,c)"],
    ["ns:a,b", "ns=in(a,b)"],
    ["label.app.kubernetes.io/name=web", "label.app.kubernetes.io/name=web"],
    ["image~nginx:1.2*", "image~nginx:1.2*"],
    ['image~"nginx 1"', 'image~"nginx 1"'],
    ["field.restarts>=5", "field.restarts>=5"],
    ['label.app=""', 'label.app=""'],
    ['"and"', '"and"'],
    ["back-off", '"back-off"'],
    ["'say \"hi\"'", "'say \"hi\"'"],
    ['name:"or"', "name=or"],
    ["or=1", "or=1"],
    ["a\\*b=1".replace("a\\*b", "ab"), "ab=1"],
    ["name:a\\ b", 'name="a\\ b"'],
  ])("[QL2] %j is read as %j", (text, canonical) => {
    expect(printQuery(parseQuery(text))).toBe(canonical);
  });

  test.each([
    ["(a=1", 1, 'the parenthesis is never closed; add ")"'],
    ["a=1)", 4, 'it has ")" where a term or the end was expected'],
    ["a=in(x,y", 5, 'the list is never closed; add ")"'],
    ['name:"web', 6, 'the quote is never closed; add "'],
    ["a=1 or", 7, "it ends where a field or a word was expected"],
    ["a=1 and )", 9, 'it has ")" where a field or a word was expected'],
    ["and", 1, 'it has "and" where a field or a word was expected; quotes make it a text'],
    ["a=1 or OR b=1", 8, 'it has "OR" where a field or a word was expected; quotes make it a text'],
    ["owner:", 7, 'it ends where a value was expected; write "" for the empty text'],
    ["ns:in()", 7, 'it has ")" where a value was expected; write "" for the empty text'],
    ["name:a,,b", 8, 'it has "," where a value was expected; write "" for the empty text'],
    ["=5", 1, 'it has "=" where a field or a word was expected'],
    ["a=1 \\", 5, 'it has "\\\\" where a field or a word was expected'],
    ["(".repeat(maxQueryDepth + 1), maxQueryDepth + 1, `it is nested deeper than ${maxQueryDepth} levels`],
    ["a".repeat(maxQueryLength + 1), maxQueryLength + 1, `the query is longer than ${maxQueryLength} characters`],
  ])("[Q-13] %j is refused at column %i", (text, column, fault) => {
    expect(() => parseQuery(text)).toThrow(
      expect.objectContaining({
        code: "INVALID_ARGUMENT",
        message: `query, column ${column}: ${fault}`,
        ids: { column },
      }),
    );
  });

  test("[QL7] the canonical text of any query is read to the same query", () => {
    fc.assert(
      fc.property(anyQuery, (query) => {
        expect(withoutPositions(parseQuery(printQuery(query)))).toEqual(query);
      }),
    );
  });

  test("[QL1] any text is read or refused as an invalid argument", () => {
    const pieces = fc.constantFrom(
      "a",
      "or",
      "not",
      "in(",
      "(",
      ")",
      '"',
      "'",
      "\\",
      "=",
      "!",
      "~",
      "<",
      ":",
      ",",
      " ",
      "-",
      "*",
      "\u{1f600}",
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 40 }), (parts) => {
        try {
          const query = parseQuery(parts.join(""));
          expect(withoutPositions(parseQuery(printQuery(query)))).toEqual(withoutPositions(query));
        } catch (reason) {
          if (!(reason instanceof FlotillaError)) throw reason;
          expect(reason.code).toBe("INVALID_ARGUMENT");
        }
      }),
    );
  });
});
