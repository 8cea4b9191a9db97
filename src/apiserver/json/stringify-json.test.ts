// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import type { Json } from "./json.ts";
import { stringifyJson } from "./stringify-json.ts";

test.each<[Json, string]>([
  [9223372036854775807n, "9223372036854775807"],
  [{ a: [-9223372036854775808n, 1.5, "x"] }, '{"a":[-9223372036854775808,1.5,"x"]}'],
  [{ a: { b: [{ c: 5n }] } }, '{"a":{"b":[{"c":5}]}}'],
  [{ a: null, b: [] }, '{"a":null,"b":[]}'],
  [JSON.parse('{"__proto__":{"toJSON":1}}'), '{"__proto__":{"toJSON":1}}'],
  [JSON.parse('{"__proto__":1,"rawJSON":"x"}'), '{"__proto__":1,"rawJSON":"x"}'],
  ["\u2028\ud800", '"\u2028\\ud800"'],
  [-0, "0"],
])("%o is printed as %s", (value, text) => {
  expect(stringifyJson(value)).toBe(text);
});
