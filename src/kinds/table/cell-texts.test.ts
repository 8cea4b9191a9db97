// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { joinFirst, listText, selectorText } from "./cell-texts.ts";

test("[KI30] a selector is printed in the order of its keys, a label before an expression of the same key", () => {
  expect(selectorText(["!old", "a.b=1", "a=2", "tier in (x,y)", "tier=x", "b"])).toBe(
    "a=2,a.b=1,b,!old,tier=x,tier in (x,y)",
  );
  expect(selectorText()).toBe("");
});

test("[KI30] a long list ends with the number of further items", () => {
  expect(joinFirst(["a", "b"], 2)).toBe("a,b");
  expect(joinFirst(["a", "b", "c"], 2, { separator: ", " })).toBe("a, b + 1 more...");
  expect(joinFirst(["a", "b"], 2, { count: 9 })).toBe("a,b + 7 more...");
});

test("[KI30] a list of a custom resource is printed as Go's JSON", () => {
  expect(listText(["a<b>&c", '"'])).toBe(String.raw`["a\u003cb\u003e\u0026c","\""]`);
  expect(listText(undefined)).toBeNull();
});
