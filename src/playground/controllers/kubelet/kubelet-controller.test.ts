// SPDX-License-Identifier: Apache-2.0
import { afterEach, beforeEach, expect, test } from "vitest";
import { type JsonObject } from "../../../apiserver/json/json.ts";
import { countOf, objectsAt, textOf } from "../../../apiserver/json/json-fields.ts";
import { conditionOf, isConditionTrue, isTerminating, nameOf } from "../object-parts.ts";
import { phaseOf, restartCountOf } from "../pod-facts.ts";
import { deploymentOf, PlaygroundRig, templateOf } from "../testing/playground-rig.ts";
import { addTrouble, healTrouble } from "../trouble.ts";

let rig: PlaygroundRig;
beforeEach(async () => {
  rig = await PlaygroundRig.open();
  await rig.client.create("apps/deployments", deploymentOf("web", { replicas: 2 }));
  await rig.pass(10);
});
afterEach(() => rig.close());

const web = { namespace: "shop", name: "web" };

function waitingReasons(): readonly string[] {
  return rig
    .pods()
    .map((pod) => textOf(objectsAt(pod, "status", "containerStatuses")[0] ?? {}, "state", "waiting", "reason"));
}

test("a crash loop shows restarts, backs off, survives a restart of the controllers, and can be healed", async () => {
  await addTrouble(rig.client, "crash-loop", web);
  await rig.pass(120);
  const restarts = rig.pods().map(restartCountOf);
  expect(Math.min(...restarts)).toBeGreaterThanOrEqual(2);
  // 10, 20 and 40 s of waiting and a few seconds of running each leave no room for more.
  expect(Math.max(...restarts)).toBeLessThanOrEqual(5);
  expect(waitingReasons()).toContain("CrashLoopBackOff");
  expect(rig.reasons()).toContain("BackOff");
  await rig.stop();
  const { revision } = rig;
  rig.start();
  await rig.quiet();
  expect(rig.revision).toBe(revision);
  await healTrouble(rig.client, "crash-loop");
  await rig.pass(5);
  expect(rig.readyPods()).toHaveLength(2);
  await rig.pass(60);
  expect(rig.readyPods()).toHaveLength(2);
});

test("an image that cannot be pulled keeps the new Pod waiting, and the healed one starts", async () => {
  await addTrouble(rig.client, "image-pull", web);
  await rig.pass(9);
  expect([...waitingReasons()].sort()).toEqual(["", "ImagePullBackOff"]);
  expect(rig.reasons()).toContain("Failed");
  expect(rig.readyPods()).toHaveLength(1);
  const eventCount = rig.list("events").length;
  await rig.pass(600);
  // The same failure counts up.
  expect(rig.list("events").length).toBe(eventCount);
  const failed = rig.list("events").filter((event) => event["reason"] === "Failed");
  expect(Math.max(...failed.map((event) => countOf(event, "count")))).toBeGreaterThan(3);
  await healTrouble(rig.client, "image-pull");
  await rig.pass(5);
  expect(rig.readyPods()).toHaveLength(2);
});

test("a slow start takes more than a minute", async () => {
  await addTrouble(rig.client, "slow-start", web);
  await rig.pass(60);
  expect(rig.readyPods()).toHaveLength(1);
  await rig.pass(30);
  expect(rig.readyPods()).toHaveLength(2);
});

test("a deleted Pod ends within its grace and leaves a Killing event", async () => {
  const [pod] = rig.pods();
  const name = nameOf(pod ?? {});
  await rig.client.delete({ resource: "pods", namespace: "shop", name });
  expect(isTerminating(rig.get("pods", name) ?? {})).toBe(true);
  await rig.pass(5);
  expect(rig.get("pods", name)).toBeUndefined();
  expect(rig.reasons()).toContain("Killing");
});

test("a Pod that nobody owns runs, and ends when it ends by itself", async () => {
  const spec = { ...(templateOf("once")["spec"] as object), restartPolicy: "Never" };
  await rig.client.create("pods", { metadata: { name: "once", namespace: "shop" }, spec });
  await rig.pass(30);
  const pod = rig.get("pods", "once") ?? {};
  expect(phaseOf(pod)).toBe("Succeeded");
  expect(textOf(conditionOf(pod, "Ready") ?? {}, "reason")).toBe("PodCompleted");
});

test("events are gone an hour after they were last seen", async () => {
  expect(rig.list("events").length).toBeGreaterThan(0);
  await rig.pass(3660);
  expect(rig.list("events")).toEqual([]);
});

test("a lost node becomes unknown, its Pods are replaced elsewhere, and both come back when it does", async () => {
  const node = (): JsonObject => rig.client.objects.get("nodes", "", "node-1") ?? {};
  expect(isConditionTrue(node(), "Ready")).toBe(true);
  await addTrouble(rig.client, "node-loss");
  await rig.pass(61);
  expect(textOf(conditionOf(node(), "Ready") ?? {}, "status")).toBe("Unknown");
  expect(objectsAt(node(), "spec", "taints").map((taint) => textOf(taint, "effect"))).toEqual([
    "NoSchedule",
    "NoExecute",
  ]);
  expect(rig.readyPods().every((pod) => textOf(pod, "spec", "nodeName") === "node-0")).toBe(true);
  await rig.pass(90);
  expect(rig.readyPods()).toHaveLength(2);
  const stuck = rig.list("pods").filter(isTerminating);
  expect(stuck.map((pod) => textOf(pod, "spec", "nodeName"))).toEqual(["node-1"]);
  await healTrouble(rig.client, "node-loss");
  await rig.pass(5);
  expect(isConditionTrue(node(), "Ready")).toBe(true);
  expect(objectsAt(node(), "spec", "taints")).toEqual([]);
  expect(rig.list("pods").filter(isTerminating)).toEqual([]);
});

test("a Pod that no node takes says why, and goes to the first that does", async () => {
  const spec = { ...(templateOf("picky")["spec"] as object), nodeSelector: { disk: "fast" } };
  await rig.client.create("pods", { metadata: { name: "picky", namespace: "shop" }, spec });
  await rig.pass(5);
  const scheduled = conditionOf(rig.get("pods", "picky") ?? {}, "PodScheduled") ?? {};
  expect(textOf(scheduled, "message")).toBe(
    "0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector.",
  );
  await rig.client.update({ resource: "nodes", namespace: "", name: "node-0" }, (draft) => {
    Object.assign((draft["metadata"] as { labels: object }).labels, { disk: "fast" });
  });
  await rig.pass(10);
  expect(isConditionTrue(rig.get("pods", "picky") ?? {}, "Ready")).toBe(true);
});

test("heartbeats renew leases about every 45 seconds and write nothing else", async () => {
  const { revision } = rig;
  await rig.pass(240);
  const writes = rig.revision - revision;
  // Two nodes, 40 to 50 s apart, for 240 s.
  expect(writes).toBeGreaterThanOrEqual(2 * 4);
  expect(writes).toBeLessThanOrEqual(2 * 6);
});
