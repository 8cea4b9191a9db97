// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { horizontalPodAutoscalerKind } from "./horizontal-pod-autoscaler-kind.ts";
import { rowOf } from "./testing/sample-rows.ts";

const able = { type: "AbleToScale", status: "True", reason: "ReadyForNewScale" };
const active = { type: "ScalingActive", status: "True", reason: "ValidMetricFound" };
const condition = (type: string, status: string, reason: string): object => ({ type, status, reason, message: "why" });

function autoscaler(conditions: readonly object[]): object {
  return {
    metadata: { name: "web", namespace: "shop" },
    spec: { scaleTargetRef: { kind: "Deployment", name: "web" }, maxReplicas: 9 },
    status: { currentReplicas: 3, desiredReplicas: 4, lastScaleTime: "2026-01-05T10:00:00Z", conditions },
  };
}

describe("a HorizontalPodAutoscaler", () => {
  test("has target, bounds, counts and conditions as columns", () => {
    const row = rowOf(horizontalPodAutoscalerKind, autoscaler([able, active]));
    expect(Object.fromEntries(row.columns)).toEqual({
      targetKind: "Deployment",
      targetName: "web",
      minReplicas: 1,
      maxReplicas: 9,
      currentReplicas: 3,
      desiredReplicas: 4,
      lastScaledAt: 1_767_607_200_000,
      conditions: [
        '{"type":"AbleToScale","status":"True","reason":"ReadyForNewScale"}',
        '{"type":"ScalingActive","status":"True","reason":"ValidMetricFound"}',
      ],
    });
  });

  test("[L18] tells what it aims at for resources, and of other metrics the type alone", () => {
    const metrics = [
      { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } } },
      { type: "ContainerResource", containerResource: { name: "memory", target: { averageValue: "500Mi" } } },
      { type: "Resource", resource: { name: "cpu", target: {} } },
      { type: "External", external: { metric: { name: "queue-of-customer" }, target: { value: "7" } } },
      { resource: { name: "cpu" } },
      null,
    ];
    const row = rowOf(horizontalPodAutoscalerKind, { metadata: { name: "web" }, spec: { metrics } });
    expect(row.columns.get("targets")).toEqual(["cpu 80%", "memory 500Mi", "cpu", "External"]);
  });

  test.each<readonly [string, readonly object[], string, string]>([
    ["that works", [able, active], "healthy", ""],
    ["just created", [], "progressing", "NotReconciledYet"],
    ["before its first metric", [able], "progressing", ""],
    ["that cannot tell", [able, condition("ScalingActive", "Unknown", "Odd")], "progressing", "Odd"],
    ["without its target", [condition("AbleToScale", "False", "FailedGetScale")], "unhealthy", "FailedGetScale"],
    [
      "without metrics",
      [able, condition("ScalingActive", "False", "FailedGetResourceMetric")],
      "unhealthy",
      "FailedGetResourceMetric",
    ],
    [
      "whose target is at zero",
      [able, condition("ScalingActive", "False", "ScalingDisabled")],
      "suspended",
      "ScalingDisabled",
    ],
    [
      "at its most",
      [able, active, condition("ScalingLimited", "True", "TooManyReplicas")],
      "degraded",
      "TooManyReplicas",
    ],
    ["at its least", [able, active, condition("ScalingLimited", "True", "TooFewReplicas")], "healthy", ""],
  ])("%s has its status", (_, conditions, status, reason) => {
    const row = rowOf(horizontalPodAutoscalerKind, autoscaler(conditions));
    expect([row.status, row.reason]).toEqual([status, reason]);
  });
});
