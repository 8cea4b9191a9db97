// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { conditionStatus, conditionsOf, reconcileFactsOf } from "./conditions.ts";

function conditions(...pairs: readonly (readonly [type: string, status: string])[]): unknown {
  const list = pairs.map(([type, status]) => ({
    type,
    status,
    reason: `${type}Reason`,
    message: `${type} is ${status}`,
  }));
  return { status: { conditions: list } };
}

describe("standard conditions", () => {
  test.each([
    [
      [
        ["Stalled", "True"],
        ["Ready", "True"],
      ],
      "unhealthy",
      "Stalled",
    ],
    [
      [
        ["Reconciling", "True"],
        ["Stalled", "True"],
      ],
      "unhealthy",
      "Stalled",
    ],
    [
      [
        ["Reconciling", "True"],
        ["Ready", "False"],
      ],
      "progressing",
      "Reconciling",
    ],
    [
      [
        ["Stalled", "False"],
        ["Reconciling", "False"],
        ["Ready", "True"],
      ],
      "healthy",
      "Ready",
    ],
    [
      [
        ["Ready", "False"],
        ["Available", "True"],
      ],
      "unhealthy",
      "Ready",
    ],
    [[["Ready", "Unknown"]], "progressing", "Ready"],
    [[["Ready", "perhaps"]], "progressing", "Ready"],
    [
      [
        ["Established", "False"],
        ["Available", "True"],
      ],
      "healthy",
      "Available",
    ],
    [
      [
        ["Synced", "False"],
        ["Established", "True"],
      ],
      "healthy",
      "Established",
    ],
    [
      [
        ["Accepted", "True"],
        ["Synced", "False"],
      ],
      "unhealthy",
      "Synced",
    ],
    [[["Accepted", "False"]], "unhealthy", "Accepted"],
    [
      [
        ["Ready", "False"],
        ["Ready", "True"],
      ],
      "healthy",
      "Ready",
    ],
  ] as const)("[KI10] %j are %s by %s", (pairs, status, type) => {
    const report = conditionStatus(conditionsOf(conditions(...pairs)));
    expect(report).toEqual({ status, reason: `${type}Reason`, message: expect.stringContaining(`${type} is `) });
  });

  test("[KI10] without one that decides there is no answer", () => {
    expect(conditionStatus(conditionsOf(conditions(["Odd", "True"], ["Reconciling", "False"])))).toBeUndefined();
    expect(conditionStatus([])).toBeUndefined();
  });

  test("[KI3] what is no condition is left out, and a missing status is unknown", () => {
    const object = { status: { conditions: [7, null, { status: "True" }, { type: 7 }, { type: "Ready" }] } };
    expect(conditionsOf(object)).toEqual([{ type: "Ready", status: "Unknown", reason: "", message: "" }]);
  });

  test("the facts about reconciling are the object's own numbers", () => {
    const object = { metadata: { generation: 4 }, status: { observedGeneration: 3 } };
    expect(reconcileFactsOf(object)).toEqual({ generation: 4, observedGeneration: 3, hasConditions: true });
    expect(reconcileFactsOf({})).toEqual({ generation: 0, observedGeneration: undefined, hasConditions: false });
  });
});
