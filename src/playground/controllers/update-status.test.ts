// SPDX-License-Identifier: Apache-2.0
import { afterEach, beforeEach, expect, test } from "vitest";
import { type DraftObject, ensureObject, type JsonObject } from "../../apiserver/json/json.ts";
import { countOf } from "../../apiserver/json/json-fields.ts";
import { deploymentOf, PlaygroundRig } from "./testing/playground-rig.ts";
import { updateStatus } from "./update-status.ts";

const deployments = "apps/deployments";

let rig: PlaygroundRig;
let seen: JsonObject;
beforeEach(async () => {
  rig = await PlaygroundRig.open({ nodeCount: 0 });
  await rig.stop();
  seen = await rig.client.create(deployments, deploymentOf("web"));
});
afterEach(() => rig.close());

/** As controllers of workloads write it. */
function observe(draft: DraftObject): void {
  Object.assign(ensureObject(draft, "status"), {
    observedGeneration: countOf(draft, "metadata", "generation"),
    replicas: 3,
  });
}

async function observed(): Promise<number> {
  await updateStatus(rig.client, deployments, seen, observe);
  return countOf(rig.get(deployments, "web") ?? {}, "status", "observedGeneration");
}

test("a status is written, and not again while it stays the same", async () => {
  expect(await observed()).toBe(1);
  seen = rig.get(deployments, "web") ?? {};
  const { revision } = rig;
  await observed();
  expect(rig.revision).toBe(revision);
});

test("what was decided on an earlier spec does not say that the newest was seen", async () => {
  await rig.change(deployments, "web", (draft) => {
    ensureObject(draft, "spec")["paused"] = true;
  });
  expect(await observed()).toBe(0);
});

test("what was decided on an object that is gone is not written to another of its name", async () => {
  await rig.client.delete({ resource: deployments, namespace: "shop", name: "web" }, { propagation: "Background" });
  await rig.client.create(deployments, deploymentOf("web"));
  expect(await observed()).toBe(0);
});
