// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { parseExactJson } from "./exact-json.ts";

test("integers of 64 bits are kept as they are written, at any depth, and nothing else becomes another", () => {
  const text = '{"a":[9007199254740993,-9223372036854775808],"b":1.5,"c":"12345678901234567","d":1e30,"e":42}';
  expect(parseExactJson(text)).toEqual({
    a: [9_007_199_254_740_993n, -(2n ** 63n)],
    b: 1.5,
    c: "12345678901234567",
    d: 1e30,
    e: 42,
  });
});

test("an integer of more digits than any API has is a number: nobody waits for it", () => {
  expect(parseExactJson(`[${"9".repeat(21)}]`)).toEqual([1e21]);
});

test("what is no JSON is a SyntaxError, with long integers and without", () => {
  expect(() => parseExactJson("{")).toThrow(SyntaxError);
  expect(() => parseExactJson("{12345678901234567")).toThrow(SyntaxError);
});
