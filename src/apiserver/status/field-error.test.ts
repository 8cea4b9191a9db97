// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import type { Json } from "../json/json.ts";
import { invalidPointedText, invalidValue, notSupportedValue, tooLong, tooMany, toSentence } from "./field-error.ts";

test.each<readonly [string, Json]>([
  ['"a"', "a"],
  [String.raw`"a\"b\\"`, 'a"b\\'],
  ['"<&>"', "<&>"],
  ['"\\x01é"', "\u0001é"],
  ["5", 5],
  ["-0.5", -0.5],
  ["1e-06", 0.000001],
  ["1e+21", 1e21],
  ["9007199254740993", 9007199254740993n],
  ["true", true],
  ["null", null],
  ['{"a":"\\u003c"}', { a: "<" }],
  ['["x",1]', ["x", 1]],
])("%s is how Go shows it", (shown, value) => {
  expect(toSentence(invalidValue("spec.x", value, "no"))).toBe(`spec.x: Invalid value: ${shown}: no`);
});

test("a text held by pointer is shown as JSON", () => {
  expect(invalidPointedText("x", "<\u0007", "").text).toBe('Invalid value: "\\u003c\\u0007"');
});

test("counts have their unit", () => {
  expect([1, 2].map((count) => tooLong("x", count).text)).toEqual([
    "Too long: may not be more than 1 byte",
    "Too long: may not be more than 2 bytes",
  ]);
  expect(tooMany("x", 3, 1).text).toBe("Too many: 3: must have at most 1 item");
});

test("supported values are listed if there are any", () => {
  expect(notSupportedValue("x", "y", ["a", "b"]).text).toBe('Unsupported value: "y": supported values: "a", "b"');
  expect(notSupportedValue("x", "y", []).text).toBe('Unsupported value: "y"');
});
