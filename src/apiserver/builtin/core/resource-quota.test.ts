// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import type { JsonObject } from "../../json/json.ts";
import { toSentence } from "../../status/field-error.ts";
import { resourceQuotaStrategy } from "./resource-quota.ts";

test.for<[string, JsonObject, readonly string[]]>([
  ["a quota of what is there", { hard: { pods: "1", "requests.cpu": "2", "count/jobs.batch": "3" } }, []],
  [
    "a scope that cannot count the resource",
    { hard: { cpu: "1" }, scopes: ["BestEffort"] },
    ['spec.scopes: Invalid value: ["BestEffort"]: unsupported scope applied to resource'],
  ],
  [
    "a scope called like a method of objects",
    { scopes: ["constructor"] },
    ['spec.scopes: Invalid value: ["constructor"]: unsupported scope'],
  ],
  [
    "a selector without values",
    { scopeSelector: { matchExpressions: [{ scopeName: "PriorityClass", operator: "In" }] } },
    [
      "spec.scopeSelector.matchExpressions.values: Required value: must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
    ],
  ],
])("%s", ([, spec, expected]) => {
  expect(resourceQuotaStrategy.validate?.({ spec }).map(toSentence)).toEqual(expected);
});

test("scopes never change, their order aside", () => {
  const old = { spec: { scopes: ["Terminating", "BestEffort"] } };
  expect(resourceQuotaStrategy.validateUpdate?.({ spec: { scopes: ["BestEffort", "Terminating"] } }, old)).toEqual([]);
  expect(resourceQuotaStrategy.validateUpdate?.({ spec: {} }, old)).toHaveLength(1);
});

test("a new quota whose requests exceed its limits is doubtful", () => {
  const quota = { spec: { hard: { cpu: "2", "limits.cpu": "1" } } };
  expect(resourceQuotaStrategy.warnings?.(quota, undefined)).toEqual([
    "ResourceQuota cpu (2) should be less than limits.cpu (1)",
  ]);
  expect(resourceQuotaStrategy.warnings?.(quota, quota)).toEqual([]);
});
