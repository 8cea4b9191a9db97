// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { createSeededRandom } from "../../../base/random.ts";
import { copyJson, type JsonObject } from "../../json/json.ts";
import type { WriteContext } from "../../resources/strategy.ts";
import { priorityClassStrategy } from "./priority-class.ts";

function contextWith(...classes: readonly JsonObject[]): WriteContext {
  return {
    nowMs: 0,
    random: createSeededRandom(1),
    userName: "u",
    objects: {
      get: () => undefined,
      list: (resource) => (resource === "scheduling.k8s.io/priorityclasses" ? classes : []),
    },
  };
}

const first: JsonObject = { metadata: { name: "first" }, value: 1, globalDefault: true };
const second: JsonObject = { metadata: { name: "second" }, value: 2, globalDefault: true };

test("only one class can be the default", () => {
  const refusal = "PriorityClass first is already marked as default. Only one default can exist";
  expect(() => priorityClassStrategy.prepareForCreate?.(copyJson(second), contextWith(first))).toThrow(
    `priorityclasses.scheduling.k8s.io "second" is forbidden: ${refusal}`,
  );
  expect(() =>
    priorityClassStrategy.prepareForUpdate?.(copyJson(second), { ...second, globalDefault: false }, contextWith(first)),
  ).toThrow(refusal);
});

test("the default class may be written again", () => {
  expect(() => priorityClassStrategy.prepareForUpdate?.(copyJson(first), first, contextWith(first))).not.toThrow();
  expect(() => priorityClassStrategy.prepareForCreate?.(copyJson(first), contextWith())).not.toThrow();
});
