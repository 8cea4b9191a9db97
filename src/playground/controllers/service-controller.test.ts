// SPDX-License-Identifier: Apache-2.0
import { afterEach, beforeEach, expect, test } from "vitest";
import { ensureObject } from "../../apiserver/json/json.ts";
import { objectAt, objectsAt, textOf, textsAt } from "../../apiserver/json/json-fields.ts";
import { nameOf } from "./object-parts.ts";
import { deploymentOf, PlaygroundRig } from "./testing/playground-rig.ts";
import { addTrouble } from "./trouble.ts";

let rig: PlaygroundRig;
beforeEach(async () => {
  rig = await PlaygroundRig.open();
  await rig.client.create("apps/deployments", deploymentOf("web"));
  await rig.client.create("services", {
    metadata: { name: "web", namespace: "shop" },
    spec: { type: "LoadBalancer", selector: { app: "web" }, ports: [{ port: 80, targetPort: 8080 }] },
  });
  await rig.pass(10);
});
afterEach(() => rig.close());

function readyAddresses(): readonly string[] {
  const [slice = {}] = rig.list("discovery.k8s.io/endpointslices");
  return objectsAt(slice, "endpoints")
    .filter((each) => objectAt(each, "conditions")?.["ready"] === true)
    .flatMap((each) => textsAt(each, "addresses"))
    .sort();
}

test("a Service has the addresses of its ready Pods, in both forms", async () => {
  const addresses = rig
    .readyPods()
    .map((pod) => textOf(pod, "status", "podIP"))
    .sort();
  expect(addresses).toHaveLength(3);
  expect(readyAddresses()).toEqual(addresses);
  const [subset = {}] = objectsAt(rig.get("endpoints", "web") ?? {}, "subsets");
  expect(
    objectsAt(subset, "addresses")
      .map((each) => textOf(each, "ip"))
      .sort(),
  ).toEqual(addresses);
  expect(objectsAt(subset, "ports").map((each) => each["port"])).toEqual([8080]);
});

test("a Pod that is not ready or going is not among the ready addresses", async () => {
  await addTrouble(rig.client, "crash-loop", { namespace: "shop", name: "web" });
  await rig.pass(20, () => {
    const ready = rig
      .readyPods()
      .map((pod) => textOf(pod, "status", "podIP"))
      .sort();
    expect(readyAddresses()).toEqual(ready);
  });
  expect(readyAddresses().length).toBeLessThan(3);
});

test("a load balancer gets an address, and gives it back", async () => {
  const ingress = (): readonly string[] =>
    objectsAt(rig.get("services", "web") ?? {}, "status", "loadBalancer", "ingress").map((each) => textOf(each, "ip"));
  expect(ingress()[0]).toMatch(/^203\.0\.113\.\d+$/);
  await rig.change("services", "web", (draft) => {
    ensureObject(draft, "spec")["type"] = "ClusterIP";
  });
  await rig.pass(1);
  expect(ingress()).toEqual([]);
});

test("endpoints go with their Service", async () => {
  await rig.client.delete({ resource: "services", namespace: "shop", name: "web" });
  await rig.pass(1);
  expect(rig.list("endpoints").map(nameOf)).not.toContain("web");
});

test("every namespace has its service account and the cluster's authority, also after somebody deleted them", async () => {
  await rig.client.create("namespaces", { metadata: { name: "fresh" } });
  await rig.quiet();
  expect(rig.get("serviceaccounts", "default", "fresh")).toBeDefined();
  expect(rig.get("configmaps", "kube-root-ca.crt", "fresh")).toBeDefined();
  await rig.client.delete({ resource: "serviceaccounts", namespace: "fresh", name: "default" });
  await rig.quiet();
  expect(rig.get("serviceaccounts", "default", "fresh")).toBeDefined();
});
