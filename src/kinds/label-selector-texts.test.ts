// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { labelSelectorTexts } from "./label-selector-texts.ts";

test("[KI8] a label selector is the sorted list of what must hold", () => {
  const matchExpressions = [
    { key: "tier", operator: "NotIn", values: ["b", "a"] },
    { key: "zone", operator: "In", values: ["eu"] },
    { key: "gone", operator: "DoesNotExist" },
    { key: "there", operator: "Exists" },
  ];
  const texts = labelSelectorTexts({ matchLabels: { b: "2", a: "1" }, matchExpressions });
  expect(texts).toEqual(["!gone", "a=1", "b=2", "there", "tier notin (a,b)", "zone in (eu)"]);
});

test.each([undefined, null, 7, [], { matchLabels: 7, matchExpressions: [7, { key: "a" }, { operator: "In" }] }])(
  "[KI3] of %j there is nothing to read",
  (selector) => {
    expect(labelSelectorTexts(selector)).toEqual([]);
  },
);
