// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { autoscalerStrategy, autoscalerV1Strategy } from "./autoscaling/horizontal-pod-autoscaler.ts";
import { createStrategyLookup, strategyFor } from "./builtin-strategies.ts";
import { coreStrategies } from "./core/core-strategies.ts";

test("core kinds are found under the empty group", () => {
  expect(strategyFor("", "pods")).toBe(coreStrategies["pods"]);
});

test("the two versions of an autoscaler have strategies of their own", () => {
  expect(strategyFor("autoscaling", "horizontalpodautoscalers", "v1")).toBe(autoscalerV1Strategy);
  expect(strategyFor("autoscaling", "horizontalpodautoscalers", "v2")).toBe(autoscalerStrategy);
  expect(strategyFor("autoscaling", "horizontalpodautoscalers")).toBe(autoscalerStrategy);
});

test.each([
  ["apps", "nothings"],
  ["example.com", "deployments"],
  ["", "constructor"],
  ["__proto__", "constructor"],
])("%s/%s has no rules of its own", (group, resource) => {
  expect(strategyFor(group, resource)).toEqual({});
});

test("a cluster's own core strategies take the place of the usual ones", () => {
  const podStrategy = { countsGenerations: true };
  const lookup = createStrategyLookup({ pods: podStrategy });
  expect(lookup("", "pods")).toBe(podStrategy);
  expect(lookup("", "services")).toEqual({});
});

test.each([
  ["batch", "jobs", "orphan"],
  ["batch", "cronjobs", undefined],
  ["apps", "deployments", undefined],
])("deleting %s/%s without a word about dependents: %s", (group, resource, propagation) => {
  expect(strategyFor(group, resource).defaultPropagation).toBe(propagation);
});

test("only Leases, Events and RBAC kinds can be made by a PUT", () => {
  const makers = ["roles", "rolebindings", "clusterroles", "clusterrolebindings"].map((resource) =>
    strategyFor("rbac.authorization.k8s.io", resource),
  );
  makers.push(strategyFor("coordination.k8s.io", "leases"), strategyFor("events.k8s.io", "events"));
  expect(makers.every(({ allowsCreateOnUpdate }) => allowsCreateOnUpdate === true)).toBe(true);
  expect(strategyFor("apps", "deployments").allowsCreateOnUpdate).toBeUndefined();
});
