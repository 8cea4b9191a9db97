// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import type { JsonObject } from "../../json/json.ts";
import { hpaV1FromV2, hpaV2FromV1 } from "./hpa-conversion.ts";

const target = { kind: "Deployment", name: "web", apiVersion: "apps/v1" };
const cpu = { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 55 } } };

const plain: JsonObject = {
  kind: "HorizontalPodAutoscaler",
  apiVersion: "autoscaling/v2",
  metadata: { name: "h", annotations: { a: "b" } },
  spec: { scaleTargetRef: target, minReplicas: 1, maxReplicas: 3, metrics: [cpu] },
  status: { desiredReplicas: 0, currentMetrics: null },
};

test("an autoscaler that looks at CPU alone needs no annotation", () => {
  const v1 = hpaV1FromV2(plain);
  expect(v1).toEqual({
    kind: "HorizontalPodAutoscaler",
    apiVersion: "autoscaling/v1",
    metadata: { name: "h", annotations: { a: "b" } },
    spec: { scaleTargetRef: target, minReplicas: 1, maxReplicas: 3, targetCPUUtilizationPercentage: 55 },
    status: { currentReplicas: 0, desiredReplicas: 0 },
  });
  expect(hpaV2FromV1(v1)).toEqual(plain);
});

const rich: JsonObject = {
  ...plain,
  spec: {
    scaleTargetRef: target,
    minReplicas: 1,
    maxReplicas: 3,
    metrics: [
      {
        type: "Pods",
        pods: {
          metric: { name: "rps", selector: { matchLabels: { a: "b" } } },
          target: { type: "AverageValue", averageValue: "5" },
        },
      },
      { type: "External", external: { metric: { name: "q" }, target: { type: "Value", value: "7" } } },
      {
        type: "Object",
        object: {
          describedObject: { kind: "Service", name: "s" },
          metric: { name: "m" },
          target: { type: "AverageValue", averageValue: "9" },
        },
      },
      cpu,
    ],
    behavior: {
      scaleUp: {
        stabilizationWindowSeconds: 0,
        selectPolicy: "Max",
        policies: [{ type: "Pods", value: 4, periodSeconds: 15 }],
      },
      scaleDown: { selectPolicy: "Disabled", tolerance: "100m" },
    },
  },
  status: {
    currentReplicas: 1,
    desiredReplicas: 2,
    currentMetrics: [
      { type: "Resource", resource: { name: "cpu", current: { averageUtilization: 11, averageValue: "5m" } } },
    ],
    conditions: [{ type: "AbleToScale", status: "True" }],
  },
};

test("what v1 has no field for goes into annotations and comes back", () => {
  const v1 = hpaV1FromV2(rich);
  expect(Object.keys(v1["metadata"] as JsonObject)).toContain("annotations");
  expect(v1["status"]).toMatchObject({ currentCPUUtilizationPercentage: 11 });
  expect(hpaV2FromV1(v1)).toEqual(rich);
});

test.each(["{", "null", "5", '{"ScaleUp":{"Policies":[null,{"Value":{}}]}}'])(
  "an annotation %s that a client made up does no harm",
  (text) => {
    const annotations = Object.fromEntries(
      ["metrics", "current-metrics", "conditions", "behavior"].map((name) => [
        `autoscaling.alpha.kubernetes.io/${name}`,
        text,
      ]),
    );
    const v2 = hpaV2FromV1({ metadata: { name: "h", annotations }, spec: { maxReplicas: 1 } });
    expect(v2["spec"]).toMatchObject({ metrics: [{ resource: { target: { averageUtilization: 80 } } }] });
    expect(v2["metadata"]).toEqual({ name: "h" });
  },
);
