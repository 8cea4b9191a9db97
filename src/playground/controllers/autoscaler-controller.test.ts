// SPDX-License-Identifier: Apache-2.0
import { afterEach, beforeEach, expect, test } from "vitest";
import { ensureObject } from "../../apiserver/json/json.ts";
import { countOf } from "../../apiserver/json/json-fields.ts";
import { isConditionTrue } from "./object-parts.ts";
import { deploymentOf, PlaygroundRig } from "./testing/playground-rig.ts";

let rig: PlaygroundRig;
beforeEach(async () => {
  rig = await PlaygroundRig.open();
  await rig.client.create("apps/deployments", deploymentOf("web"));
  await rig.pass(10);
});
afterEach(() => rig.close());

test("an autoscaler keeps its target between its limits and says what it sees", async () => {
  await rig.client.create("autoscaling/horizontalpodautoscalers", {
    metadata: { name: "web", namespace: "shop" },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
      minReplicas: 2,
      maxReplicas: 4,
      metrics: [
        { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } } },
      ],
    },
  });
  await rig.pass(5);
  const autoscaler = (): ReturnType<PlaygroundRig["get"]> => rig.get("autoscaling/horizontalpodautoscalers", "web");
  expect(countOf(autoscaler() ?? {}, "status", "currentReplicas")).toBe(3);
  expect(isConditionTrue(autoscaler() ?? {}, "ScalingActive")).toBe(true);
  for (const [asked, kept] of [
    [9, 4],
    [1, 2],
    [0, 0],
  ] as const) {
    await rig.change("apps/deployments", "web", (draft) => {
      ensureObject(draft, "spec")["replicas"] = asked;
    });
    await rig.pass(10);
    expect(rig.readyPods()).toHaveLength(kept);
    expect(countOf(autoscaler() ?? {}, "status", "currentReplicas")).toBe(kept);
  }
});
