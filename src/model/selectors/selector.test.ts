// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { matchesFields, parseFieldSelector } from "./field-selector.ts";
import { matchesLabels } from "./label-selector.ts";
import { parseLabelSelector } from "./label-selector-parse.ts";

const labels = new Map([
  ["a", "x"],
  ["n", "10"],
  ["empty", ""],
  ["example.com/tier", "web"],
  ["in", "notin"],
]);

describe("label selector", () => {
  test.each([
    ["", true],
    ["  ", true],
    ["a", true],
    ["z", false],
    ["!z", true],
    ["! z", true],
    ["!a", false],
    ["a=x", true],
    ["a = x", true],
    ["a==x", true],
    ["a=y", false],
    ["z=x", false],
    ["a!=y", true],
    ["a!=x", false],
    ["z!=x", true],
    ["a in (x,y)", true],
    ["a in(x)", true],
    ["a in (y,z)", false],
    ["z in (x)", false],
    ["a notin (y)", true],
    ["a notin (x,y)", false],
    ["z notin (x)", true],
    ["a=x,!z,example.com/tier in (web)", true],
    ["a=x,z", false],
    ["empty=", true],
    ["empty=,a=x", true],
    ["a=", false],
    ["z=", false],
    ["empty in ()", true],
    ["empty in (,)", true],
    ["empty in (x,)", true],
    ["empty in (x,,y)", true],
    ["empty in (,x)", true],
    ["a in (x,)", true],
    ["n>9", true],
    ["n>10", false],
    ["n<11", true],
    ["n<10", false],
    ["a>1", false],
    ["z>1", false],
    ["z<1", false],
    ["n<9223372036854775807", true],
    ["in", true],
    ["in in (in,notin)", true],
    ["in notin (in)", true],
    ["in=notin", true],
    ["\ta\r\n=\tx ", true],
  ])("[CO50][CO52] %j selects: %s", (text, isSelected) => {
    expect(matchesLabels(parseLabelSelector(text), labels)).toBe(isSelected);
  });

  test.each([
    [",", 1, "a label key"],
    ["a=b,", 5, "a label key"],
    ["a,,b", 3, "a label key"],
    ["a b", 3, "an operator"],
    ["a=b c", 5, '","'],
    ["!a=b", 3, '","'],
    ["!!a", 2, "a label key"],
    ["!", 2, "a label key"],
    ["a in x", 6, '"("'],
    ["a in", 5, '"("'],
    ["a in (x", 8, '")"'],
    ["a in (x y)", 9, '")"'],
    ["a in (x=y)", 8, '")"'],
    ["a=(", 3, "a value"],
    ["a===b", 4, "a value"],
    ["a>x", 3, "integer"],
    ["a>", 3, "integer"],
    ["a>9223372036854775808", 3, "integer"],
    ["=a", 1, "a label key"],
    ["a=b=c", 4, '","'],
    ["a!b", 2, "an operator"],
  ])("[CO50][CO55] %j is refused at position %i, expecting %s", (text, position, expected) => {
    expect(() => parseLabelSelector(text)).toThrow(
      expect.objectContaining({ code: "INVALID_ARGUMENT", ids: { position } }),
    );
    expect(() => parseLabelSelector(text)).toThrow(expected);
  });

  test.each(["-a", "a/b/c", "/a", "A_/a", "k".repeat(64), "a=-x", `a=${"v".repeat(64)}`, "a=ü", "a in (x,$)", "a>-5"])(
    "[CO51] %j has a key or value that Kubernetes does not allow",
    (text) => {
      expect(() => parseLabelSelector(text)).toThrow("that Kubernetes allows");
    },
  );

  test("[CO25] a label named __proto__ is a label", () => {
    const odd = new Map([["__proto__", "x"]]);
    // The key is not one that Kubernetes allows, so it can only be absent from selectors, never found by accident.
    expect(() => parseLabelSelector("__proto__=x")).toThrow("label key");
    expect(matchesLabels(parseLabelSelector("!constructor"), odd)).toBe(true);
  });
});

describe("field selector", () => {
  const fields = new Map([
    ["metadata.name", "web"],
    ["spec.nodeName", ""],
    ["odd", "a,b=c\\d"],
  ]);

  test.each([
    ["", true],
    ["metadata.name=web", true],
    ["metadata.name==web", true],
    ["metadata.name!=web", false],
    ["metadata.name=web,spec.nodeName=", true],
    ["status.phase=", true],
    ["status.phase!=Running", true],
    ["status.phase=Running", false],
    [",metadata.name=web,", true],
    ["odd=a\\,b\\=c\\\\d", true],
  ])("[CO54] %j selects: %s", (text, isSelected) => {
    expect(matchesFields(parseFieldSelector(text), (field) => fields.get(field))).toBe(isSelected);
  });

  test.each([
    ["metadata.name", 1],
    ["a=b,c", 5],
    ["=x", 1],
    ["a=b=c", 4],
    ["a=b\\", 4],
    ["a=x\\y", 4],
    ["a=b,c=\\d", 7],
  ])("[CO54][CO55] %j is refused at position %i", (text, position) => {
    expect(() => parseFieldSelector(text)).toThrow(
      expect.objectContaining({ code: "INVALID_ARGUMENT", ids: { position } }),
    );
  });

  test("[CO54] requirements are sorted by field, then operator and value", () => {
    expect(parseFieldSelector("b!=x,a==1\\,2,a=1")).toEqual(parseFieldSelector("a=1,a=1\\,2,b!=x"));
  });
});

test("[CO55] a selector of more than 16,384 characters is refused unread", () => {
  expect(parseLabelSelector("a,".repeat(8191).slice(0, -1))).toHaveLength(8191);
  for (const parse of [parseLabelSelector, parseFieldSelector])
    expect(() => parse("=".repeat(16_385))).toThrow("longer than 16384 characters");
});
