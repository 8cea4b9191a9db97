// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import type { JsonObject } from "../json/json.ts";
import { createLabelMatcher, formatLabelSelector, matchesLabelSelector } from "./label-selector-object.ts";

// The text is what the scale of a Deployment with this selector shows on a real server.
const selector: JsonObject = {
  matchLabels: { b: "1", a: "2" },
  matchExpressions: [
    { key: "c", operator: "In", values: ["z", "y"] },
    { key: "d", operator: "NotIn", values: ["q"] },
    { key: "aa", operator: "Exists" },
    { key: "e", operator: "DoesNotExist" },
  ],
};

test("is written by key, with its values sorted", () => {
  expect(formatLabelSelector(selector)).toBe("a=2,aa,b=1,c in (y,z),d notin (q),!e");
});

test("that selects all or nothing is written as nothing", () => {
  expect(formatLabelSelector({})).toBe("");
  expect(formatLabelSelector(undefined)).toBe("");
});

test("with an error has no text", () => {
  const wrong = { matchExpressions: [{ key: "a", operator: "Foo" }] };
  expect(formatLabelSelector(wrong)).toBeUndefined();
  expect(matchesLabelSelector(wrong, {})).toBe(false);
});

test.each<[JsonObject, boolean]>([
  [{ a: "2", b: "1", c: "z", aa: "" }, true],
  [{ a: "2", b: "1", c: "z", aa: "", d: "other" }, true],
  [{ a: "2", b: "1", c: "z", aa: "", d: "q" }, false],
  [{ a: "2", b: "1", c: "z", aa: "", e: "" }, false],
  [{ a: "2", b: "1", c: "x", aa: "" }, false],
  [{ a: "2", b: "1", aa: "" }, false],
  [{ a: "2", b: "1", c: "z" }, false],
])("selects %j: %j", (labels, isSelected) => {
  expect(matchesLabelSelector(selector, labels)).toBe(isSelected);
});

test("that is empty selects everything, and one that is absent nothing", () => {
  const all = createLabelMatcher({});
  expect(all(undefined)).toBe(true);
  expect(all({ a: "b" })).toBe(true);
  expect(matchesLabelSelector(undefined, { a: "b" })).toBe(false);
});

test("does not take inherited properties for labels", () => {
  expect(matchesLabelSelector({ matchExpressions: [{ key: "constructor", operator: "Exists" }] }, {})).toBe(false);
});
