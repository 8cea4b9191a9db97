// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { podDisruptionBudgetKind } from "./pod-disruption-budget-kind.ts";
import { rowOf } from "./testing/sample-rows.ts";

function budget(status: object, spec: object = { minAvailable: 2 }): object {
  return {
    metadata: { namespace: "shop", name: "web", uid: "u1", generation: 1, creationTimestamp: "2026-01-01T00:00:00Z" },
    spec: { selector: { matchLabels: { app: "web" } }, ...spec },
    status: { observedGeneration: 1, ...status },
  };
}

describe("a PodDisruptionBudget", () => {
  test("[KI22] shows what kubectl shows of it", () => {
    const status = { disruptionsAllowed: 1, currentHealthy: 3, desiredHealthy: 2, expectedPods: 3 };
    const { columns } = rowOf(podDisruptionBudgetKind, budget(status, { minAvailable: "50%" }));
    expect(Object.fromEntries(columns)).toEqual({
      minAvailable: "50%",
      disruptionsAllowed: 1,
      currentHealthy: 3,
      desiredHealthy: 2,
      expectedPods: 3,
      selector: ["app=web"],
    });
    expect(rowOf(podDisruptionBudgetKind, budget(status, { maxUnavailable: 0 })).columns.get("maxUnavailable")).toBe(
      "0",
    );
  });

  test.each([
    ["as many Pods as it asks for, though none may be evicted", { currentHealthy: 2, desiredHealthy: 2 }, "healthy"],
    ["no Pods at all", { currentHealthy: 0, desiredHealthy: 0 }, "healthy"],
    ["fewer Pods than it asks for", { currentHealthy: 1, desiredHealthy: 2 }, "degraded"],
    [
      "a change that its controller has not seen",
      { observedGeneration: 0, currentHealthy: 2, desiredHealthy: 2 },
      "progressing",
    ],
    [
      "a selector that cannot be counted",
      { conditions: [{ type: "DisruptionAllowed", status: "False", reason: "SyncFailed", message: "no scale" }] },
      "unhealthy",
    ],
  ])("[KI29] with %s", (_, status, expected) => {
    expect(rowOf(podDisruptionBudgetKind, budget(status)).status).toBe(expected);
  });
});
