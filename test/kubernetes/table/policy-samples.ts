// SPDX-License-Identifier: Apache-2.0
import type { JsonObject } from "../../../src/apiserver/json/json.ts";
import { namespaced, type Sample } from "./sample.ts";

const rbac = "rbac.authorization.k8s.io/v1";
const budgets = namespaced("policy/v1", "poddisruptionbudgets");
const budget = (name: string, spec: JsonObject, status?: JsonObject): Sample => ({
  collection: budgets,
  object: { metadata: { name }, spec: { selector: { matchLabels: { app: "web" } }, ...spec } },
  ...(status === undefined ? {} : { status }),
});
const counts = { currentHealthy: 3, desiredHealthy: 1, expectedPods: 3 };

const target = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };
const autoscaler = (name: string, spec: JsonObject, status?: JsonObject): Sample => ({
  collection: namespaced("autoscaling/v2", "horizontalpodautoscalers"),
  object: { metadata: { name }, spec: { scaleTargetRef: target, maxReplicas: 9, ...spec } },
  ...(status === undefined ? {} : { status: { desiredReplicas: 2, ...status } }),
});
const resource = (name: string, aim: JsonObject): JsonObject => ({ type: "Resource", resource: { name, target: aim } });
const measured = (name: string, current: JsonObject): JsonObject => ({ type: "Resource", resource: { name, current } });
const utilization = (percent: number): JsonObject => ({ type: "Utilization", averageUtilization: percent });
const average = (value: string): JsonObject => ({ type: "AverageValue", averageValue: value });
const whole = (value: string): JsonObject => ({ type: "Value", value });
const metric = { metric: { name: "requests" } };
const described = { describedObject: { apiVersion: "v1", kind: "Service", name: "web" }, ...metric };

/** It has no rules, so it is never called. */
const idleWebhook = (name: string): JsonObject => ({
  name,
  clientConfig: { url: "https://127.0.0.1:1/" },
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
});

export const policySamples: readonly Sample[] = [
  {
    collection: "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
    object: { metadata: { name: "two" }, webhooks: [idleWebhook("a.example.com"), idleWebhook("b.example.com")] },
  },
  {
    collection: "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations",
    object: { metadata: { name: "none" } },
  },
  budget("count", { minAvailable: 1 }, { ...counts, disruptionsAllowed: 2 }),
  budget("percent", { maxUnavailable: "25%" }),
  budget("zero", { maxUnavailable: 0 }, { ...counts, disruptionsAllowed: 0 }),
  budget("neither", {}),
  {
    collection: "/apis/scheduling.k8s.io/v1/priorityclasses",
    object: { metadata: { name: "high" }, value: 1_000_000, globalDefault: true },
  },
  {
    collection: "/apis/scheduling.k8s.io/v1/priorityclasses",
    object: { metadata: { name: "low" }, value: -5, preemptionPolicy: "Never" },
  },
  { collection: "/apis/node.k8s.io/v1/runtimeclasses", object: { metadata: { name: "gvisor" }, handler: "runsc" } },
  { collection: namespaced(rbac, "roles"), object: { metadata: { name: "reader" }, rules: [] } },
  {
    collection: namespaced(rbac, "rolebindings"),
    object: {
      metadata: { name: "all" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "reader" },
      subjects: [
        { kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "bob" },
        { kind: "Group", apiGroup: "rbac.authorization.k8s.io", name: "dev" },
        { kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "alice" },
        { kind: "ServiceAccount", namespace: "table", name: "default" },
      ],
    },
  },
  {
    collection: namespaced(rbac, "rolebindings"),
    object: {
      metadata: { name: "none" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" },
    },
  },
  {
    collection: `/apis/${rbac}/clusterrolebindings`,
    object: {
      metadata: { name: "table:all" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" },
      subjects: [
        { kind: "ServiceAccount", namespace: "a", name: "b" },
        { kind: "ServiceAccount", namespace: "a", name: "c" },
      ],
    },
  },
  autoscaler(
    "cpu",
    { minReplicas: 2, metrics: [resource("cpu", utilization(80))] },
    {
      currentReplicas: 3,
      currentMetrics: [measured("cpu", { averageUtilization: 45, averageValue: "450m" })],
    },
  ),
  autoscaler("unmeasured", { metrics: [resource("memory", average("1536Mi")), resource("cpu", utilization(50))] }),
  autoscaler(
    "many",
    {
      metrics: [
        { type: "Pods", pods: { ...metric, target: average("1500m") } },
        { type: "External", external: { ...metric, target: whole("30") } },
        resource("cpu", utilization(70)),
      ],
    },
    {
      currentReplicas: 1,
      currentMetrics: [
        { type: "Pods", pods: { ...metric, current: { averageValue: "2" } } },
        { type: "External", external: { ...metric, current: { value: "12" } } },
      ],
    },
  ),
  autoscaler(
    "averages",
    {
      metrics: [
        { type: "External", external: { ...metric, target: average("20") } },
        { type: "Object", object: { ...described, target: average("5") } },
      ],
    },
    {
      currentReplicas: 1,
      currentMetrics: [
        { type: "External", external: { ...metric, current: { averageValue: "11", value: "0" } } },
        { type: "Object", object: { ...described, current: { value: "7" } } },
      ],
    },
  ),
  autoscaler(
    "object",
    {
      metrics: [
        { type: "Object", object: { ...described, target: whole("2k") } },
        { type: "ContainerResource", containerResource: { name: "cpu", container: "web", target: utilization(60) } },
      ],
    },
    {
      currentReplicas: 1,
      currentMetrics: [
        { type: "Object", object: { ...described, current: { value: "1500" } } },
        {
          type: "ContainerResource",
          containerResource: { name: "cpu", container: "web", current: { averageUtilization: 12, averageValue: "0" } },
        },
      ],
    },
  ),
  autoscaler(
    "container-average",
    {
      metrics: [
        { type: "ContainerResource", containerResource: { name: "memory", container: "web", target: average("1Gi") } },
        resource("memory", average("64Mi")),
      ],
    },
    {
      currentReplicas: 1,
      currentMetrics: [
        {
          type: "ContainerResource",
          containerResource: { name: "memory", container: "web", current: { averageValue: "900Mi" } },
        },
        measured("memory", { averageValue: "32Mi" }),
      ],
    },
  ),
];
