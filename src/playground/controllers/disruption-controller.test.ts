// SPDX-License-Identifier: Apache-2.0
import { afterEach, beforeEach, expect, test } from "vitest";
import { type DraftObject, type JsonObject } from "../../apiserver/json/json.ts";
import { countOf } from "../../apiserver/json/json-fields.ts";
import { parseDeleteOptions } from "../../apiserver/request/delete-options.ts";
import { formatTime } from "../../apiserver/schema-decode/go-time.ts";
import { evictPod } from "../../apiserver/verbs/evict-pod.ts";
import { createSubject } from "../../model/subject.ts";
import { conditionOf, nameOf } from "./object-parts.ts";
import { deploymentOf, PlaygroundRig, templateOf } from "./testing/playground-rig.ts";

const budgets = "policy/poddisruptionbudgets";
const selector = { matchLabels: { app: "web" } };

let rig: PlaygroundRig;
beforeEach(async () => {
  rig = await PlaygroundRig.open();
  await rig.client.create("apps/deployments", deploymentOf("web"));
  await rig.pass(10);
});
afterEach(() => rig.close());

async function makeBudget(spec: DraftObject): Promise<void> {
  await rig.client.create(budgets, { metadata: { name: "web", namespace: "shop" }, spec: { selector, ...spec } });
  await rig.quiet();
}

function budget(): JsonObject {
  return rig.get(budgets, "web") ?? {};
}

function allowed(): number {
  return countOf(budget(), "status", "disruptionsAllowed");
}

/** As a request would: no precondition, the Pod's own grace. */
function evict(pod: JsonObject | undefined): Promise<void> {
  const { cluster } = rig.server;
  const resource = cluster.resources.find("", "v1", "pods");
  if (resource === undefined) throw new Error("there are no Pods");
  const target = { resource, namespace: "shop", name: nameOf(pod ?? {}), user: createSubject({ user: "drainer" }) };
  return evictPod(cluster, target, parseDeleteOptions({}, new URLSearchParams()));
}

test("a budget says how many Pods may go", async () => {
  await makeBudget({ minAvailable: 2 });
  expect(allowed()).toBe(1);
  const [pod] = rig.pods();
  await rig.client.delete({ resource: "pods", namespace: "shop", name: nameOf(pod ?? {}) });
  await rig.quiet();
  expect(allowed()).toBe(0);
  await rig.pass(10);
  expect(allowed()).toBe(1);
  expect(conditionOf(budget(), "DisruptionAllowed")).toMatchObject({
    status: "True",
    reason: "SufficientPods",
    message: "",
    observedGeneration: 1,
  });
});

test("[AP20] of several evictions at the same time a budget allows as many as it has disruptions", async () => {
  await makeBudget({ minAvailable: 2 });
  const ends = await Promise.allSettled(rig.pods().map((pod) => evict(pod)));
  expect(ends.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected", "rejected"]);
  expect(ends.find((end) => end.status === "rejected")?.reason).toMatchObject({ code: 429 });
  await rig.quiet();
  expect(rig.pods().length).toBeGreaterThanOrEqual(2);
  await expect(evict(rig.readyPods()[0])).rejects.toMatchObject({
    details: { causes: [{ message: "The disruption budget web needs 2 healthy pods and has 2 currently" }] },
  });
  // The Deployment replaces the Pod, and the next one may go.
  await rig.pass(10);
  await evict(rig.readyPods()[0]);
});

test("[AP20] a Pod whose eviction was announced and that stays is counted again after two minutes", async () => {
  await makeBudget({ minAvailable: 2 });
  const [pod] = rig.pods();
  await rig.client.update(
    { resource: budgets, namespace: "shop", name: "web" },
    (draft) => {
      const disruptedPods = { [nameOf(pod ?? {})]: formatTime(rig.clock.wallMs()), gone: formatTime(0) };
      Object.assign(draft["status"] ?? {}, { disruptedPods });
    },
    "status",
  );
  await rig.quiet();
  expect(budget()).toMatchObject({
    status: { currentHealthy: 2, disruptedPods: { [nameOf(pod ?? {})]: expect.any(String) as string } },
  });
  expect(allowed()).toBe(0);
  await rig.pass(125);
  expect(allowed()).toBe(1);
  expect(budget()["status"]).not.toHaveProperty("disruptedPods");
});

test.each([
  ["maxUnavailable", 1, 3, 2],
  ["maxUnavailable", "34%", 3, 1],
  ["minAvailable", "34%", 3, 2],
  ["minAvailable", 5, 3, 5],
])("%s %j of three Pods", async (limit, value, expectedPods, desiredHealthy) => {
  await makeBudget({ [limit]: value });
  expect(budget()["status"]).toMatchObject({ expectedPods, desiredHealthy, currentHealthy: 3 });
});

test("[AP20] a share of Pods whose controller has no scale cannot be told, so none of them may go", async () => {
  await rig.client.create("batch/jobs", {
    metadata: { name: "web", namespace: "shop" },
    spec: {
      template: { ...templateOf("web"), spec: { restartPolicy: "Never", containers: [{ name: "c", image: "c" }] } },
    },
  });
  await rig.quiet();
  await makeBudget({ maxUnavailable: 1 });
  expect(allowed()).toBe(0);
  expect(conditionOf(budget(), "DisruptionAllowed")).toMatchObject({ status: "False", reason: "SyncFailed" });
});
