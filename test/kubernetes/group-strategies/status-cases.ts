// SPDX-License-Identifier: Apache-2.0
import type { DraftObject, JsonObject } from "../../../src/apiserver/json/json.ts";
import { podTemplate, selecting, type UpdateCase, withSpec } from "./strategy-case.ts";

const web = podTemplate("web");
const once = podTemplate("web", { restartPolicy: "Never" });
const selector = selecting("web");
const time = "2024-01-01T00:00:00Z";

function status(fields: JsonObject): (object: DraftObject) => void {
  return (object) => {
    object["status"] = structuredClone(fields) as DraftObject;
  };
}

function condition(type: string): JsonObject {
  return { type, status: "True", lastProbeTime: time, lastTransitionTime: time };
}

const deployment = {
  isStatus: true,
  resource: "apps/v1/deployments",
  object: withSpec("st-d", { selector, template: web }),
};
const job = { isStatus: true, resource: "batch/v1/jobs", object: withSpec("st-j", { template: once }) };

/** Statuses as controllers write them, and as they should not. */
export const statusCases: readonly UpdateCase[] = [
  {
    ...deployment,
    name: "all ready",
    change: status({ observedGeneration: 1, replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1 }),
  },
  {
    ...deployment,
    name: "wrong counts",
    change: status({ replicas: 1, updatedReplicas: -1, readyReplicas: 2, availableReplicas: 3, collisionCount: -1 }),
  },
  {
    isStatus: true,
    resource: "apps/v1/replicasets",
    object: withSpec("st-r", { selector, template: web }),
    name: "wrong counts",
    change: status({ replicas: 1, fullyLabeledReplicas: 2, readyReplicas: 2, availableReplicas: 3 }),
  },
  {
    isStatus: true,
    resource: "apps/v1/statefulsets",
    object: withSpec("st-s", { selector, template: web }),
    name: "wrong counts",
    change: status({ replicas: 1, currentReplicas: 2, readyReplicas: 2, availableReplicas: 3, updatedReplicas: -1 }),
  },
  {
    isStatus: true,
    resource: "apps/v1/daemonsets",
    object: withSpec("st-e", { selector, template: web }),
    name: "wrong counts",
    change: status({ currentNumberScheduled: -1, numberMisscheduled: 0, desiredNumberScheduled: 1, numberReady: -2 }),
  },
  { ...job, name: "running", change: status({ active: 1, ready: 1, startTime: time }) },
  {
    ...job,
    name: "done",
    change: status({
      succeeded: 1,
      startTime: time,
      completionTime: time,
      conditions: [condition("SuccessCriteriaMet"), condition("Complete")],
    }),
  },
  { ...job, name: "done too soon", change: status({ active: 1, conditions: [condition("Complete")] }) },
  {
    ...job,
    name: "done and failed",
    change: status({
      startTime: time,
      completionTime: "2023-01-01T00:00:00Z",
      ready: 2,
      completedIndexes: "0",
      conditions: ["Complete", "Failed", "SuccessCriteriaMet", "FailureTarget"].map(condition),
    }),
  },
  {
    ...job,
    name: "a failure without its cause",
    change: status({ startTime: time, failed: 1, conditions: [condition("Failed")] }),
  },
  {
    isStatus: true,
    resource: "policy/v1/poddisruptionbudgets",
    object: withSpec("st-b", { minAvailable: 1, selector }),
    name: "wrong counts",
    change: status({ disruptionsAllowed: -1, currentHealthy: 1, desiredHealthy: -2, expectedPods: 1 }),
  },
  {
    isStatus: true,
    resource: "networking.k8s.io/v1/ingresses",
    object: withSpec("st-i", { defaultBackend: { service: { name: "x", port: { number: 80 } } } }),
    name: "wrong addresses",
    change: status({ loadBalancer: { ingress: [{ ip: "x" }, { hostname: "1.2.3.4" }, { hostname: "A_" }] } }),
  },
];
