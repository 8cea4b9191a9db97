// SPDX-License-Identifier: Apache-2.0
import { afterEach, beforeEach, expect, test } from "vitest";
import { ensureObject } from "../../apiserver/json/json.ts";
import { countOf, objectsAt, textOf } from "../../apiserver/json/json-fields.ts";
import { makeNode } from "./make-node.ts";
import { PlaygroundRig, templateOf } from "./testing/playground-rig.ts";

let rig: PlaygroundRig;
beforeEach(async () => {
  rig = await PlaygroundRig.open({ nodeCount: 3 });
  await rig.client.create("apps/daemonsets", {
    metadata: { name: "exporter", namespace: "shop" },
    spec: { selector: { matchLabels: { app: "exporter" } }, template: templateOf("exporter") },
  });
  await rig.pass(10);
});
afterEach(() => rig.close());

function nodes(): readonly string[] {
  return rig
    .readyPods()
    .map((pod) => textOf(pod, "spec", "nodeName"))
    .sort();
}

test("there is one Pod on every node, also on one that comes later", async () => {
  expect(nodes()).toEqual(["node-0", "node-1", "node-2"]);
  await rig.client.create("nodes", makeNode({ name: "node-3", region: "eu", zone: "eu-a", index: 3 }));
  await rig.pass(10);
  expect(nodes()).toEqual(["node-0", "node-1", "node-2", "node-3"]);
  expect(countOf(rig.get("apps/daemonsets", "exporter") ?? {}, "status", "numberAvailable")).toBe(4);
});

test("an update replaces one Pod at a time", async () => {
  await rig.change("apps/daemonsets", "exporter", (draft) => {
    ensureObject(draft, "spec")["template"] = templateOf("exporter", { image: "registry.example/exporter:2.0.0" });
  });
  await rig.pass(40, () => expect(rig.readyPods().length).toBeGreaterThanOrEqual(2));
  const images = rig.readyPods().map((pod) => textOf(objectsAt(pod, "spec", "containers")[0] ?? {}, "image"));
  expect(images).toEqual(Array.from({ length: 3 }, () => "registry.example/exporter:2.0.0"));
  expect(countOf(rig.get("apps/daemonsets", "exporter") ?? {}, "status", "updatedNumberScheduled")).toBe(3);
});
