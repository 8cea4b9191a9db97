// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import type { DraftObject, JsonObject } from "../../json/json.ts";
import { toSentence } from "../../status/field-error.ts";
import { limitRangeStrategy } from "./limit-range.ts";

test("a container's default limit comes from the maximum, its default request from limit and minimum", () => {
  const range: DraftObject = {
    spec: {
      limits: [
        { type: "Container", max: { cpu: "2" }, min: { memory: "1Mi" } },
        { type: "Pod", max: { cpu: "4" } },
      ],
    },
  };
  limitRangeStrategy.setDefaults?.(range);
  expect(range["spec"]).toEqual({
    limits: [
      {
        type: "Container",
        max: { cpu: "2" },
        min: { memory: "1Mi" },
        default: { cpu: "2" },
        defaultRequest: { cpu: "2", memory: "1Mi" },
      },
      { type: "Pod", max: { cpu: "4" } },
    ],
  });
});

test.for<[string, JsonObject, readonly string[]]>([
  [
    "a minimum above the maximum",
    { type: "Pod", min: { cpu: "2" }, max: { cpu: "1" } },
    ['spec.limits[0].min[cpu]: Invalid value: "2": min value 2 is greater than max value 1'],
  ],
  [
    "a ratio that nothing can have",
    { type: "Pod", min: { cpu: "1" }, max: { cpu: "2" }, maxLimitRequestRatio: { cpu: "3" } },
    ['spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: "3": ratio 3 is greater than max/min = 2.000000'],
  ],
  [
    "claims without storage",
    { type: "PersistentVolumeClaim" },
    [
      "spec.limits[0].limits: Required value: either minimum or maximum storage value is required, but neither was provided",
    ],
  ],
])("%s", ([, limit, expected]) => {
  expect(limitRangeStrategy.validate?.({ spec: { limits: [limit] } }).map(toSentence)).toEqual(expected);
});
