// SPDX-License-Identifier: Apache-2.0
import { afterAll, beforeAll, expect, test } from "vitest";
import { type JsonObject } from "../../apiserver/json/json.ts";
import { countOf, objectsAt, textOf } from "../../apiserver/json/json-fields.ts";
import { conditionOf, isConditionTrue, labelsOf, nameOf, namespaceOf } from "../controllers/object-parts.ts";
import { isActive, isFinished, isReady } from "../controllers/pod-facts.ts";
import { PlaygroundRig } from "../controllers/testing/playground-rig.ts";
import { addTrouble, healTrouble } from "../controllers/trouble.ts";
import { applyScenario } from "./apply-scenario.ts";
import { buildBuiltinObjects } from "./build-scenario.ts";

const options = { clusterName: "eu-1", region: "eu", seed: "7" };
const kustomizations = "kustomize.toolkit.fluxcd.io/kustomizations";
const virtualServices = "networking.istio.io/virtualservices";

/** One for all tests: each leaves it as it found it, except the last, which deletes something. */
let rig: PlaygroundRig;
beforeAll(async () => {
  rig = await PlaygroundRig.open({ nodeCount: 0 });
  await applyScenario(rig.client, options);
  await rig.pass(40);
});
afterAll(() => rig.close());

function all(resource: string): readonly JsonObject[] {
  return rig.client.objects.list(resource);
}

test("a cluster comes to life: every workload is ready, every sample object has its status", () => {
  const workloads = ["apps/deployments", "apps/statefulsets", "apps/daemonsets", "batch/cronjobs"].flatMap(all);
  expect(workloads.length).toBeGreaterThanOrEqual(10);
  expect(workloads.length).toBeLessThanOrEqual(20);
  for (const deployment of all("apps/deployments"))
    expect([nameOf(deployment), isConditionTrue(deployment, "Available")]).toEqual([nameOf(deployment), true]);
  for (const set of all("apps/statefulsets"))
    expect(countOf(set, "status", "readyReplicas")).toBe(countOf(set, "spec", "replicas"));
  const [daemons = {}] = all("apps/daemonsets");
  expect(countOf(daemons, "status", "numberReady")).toBe(all("nodes").length);
  expect(all("nodes").every((node) => isConditionTrue(node, "Ready"))).toBe(true);
  expect(
    all("pods")
      .filter((pod) => !isFinished(pod))
      .every(isReady),
  ).toBe(true);
  for (const kind of [
    "source.toolkit.fluxcd.io/gitrepositories",
    kustomizations,
    "helm.toolkit.fluxcd.io/helmreleases",
  ])
    expect([kind, all(kind).length > 0 && all(kind).every((each) => isConditionTrue(each, "Ready"))]).toEqual([
      kind,
      true,
    ]);
  for (const application of all("argoproj.io/applications")) {
    expect(textOf(application, "status", "sync", "status")).toBe("Synced");
    expect(textOf(application, "status", "health", "status")).toBe("Healthy");
  }
  expect(all(virtualServices).flatMap((each) => objectsAt(each, "status", "validationMessages"))).toEqual([]);
});

test("applying it again, and starting the controllers again, writes nothing", async () => {
  const { revision } = rig;
  await applyScenario(rig.client, options);
  await rig.stop();
  rig.start();
  await rig.quiet();
  expect(rig.revision).toBe(revision);
});

test("revisions of the sample objects move on by themselves, and rarely", async () => {
  const revisionsOf = (): readonly string[] =>
    all(kustomizations).map((each) => textOf(each, "status", "lastAppliedRevision"));
  const before = revisionsOf();
  const { revision } = rig;
  await rig.pass(1900);
  expect(revisionsOf()).not.toEqual(before);
  expect(all(kustomizations).every((each) => isConditionTrue(each, "Ready"))).toBe(true);
  // Heartbeats, two runs of a CronJob and a few commits: well below one write a second.
  expect(rig.revision - revision).toBeLessThan(1900 / 2);
});

test("a Kustomization fails on request, and is well again afterwards", async () => {
  await addTrouble(rig.client, "failing-kustomization");
  await rig.pass(2);
  const failing = all(kustomizations).filter((each) => !isConditionTrue(each, "Ready"));
  expect(failing.map((each) => textOf(conditionOf(each, "Ready") ?? {}, "reason"))).toEqual(["BuildFailed"]);
  await healTrouble(rig.client, "failing-kustomization");
  await rig.pass(20);
  expect(all(kustomizations).every((each) => isConditionTrue(each, "Ready"))).toBe(true);
});

test("a VirtualService goes bad on request, and is as before afterwards", async () => {
  const specs = (): readonly unknown[] => all(virtualServices).map((each) => each["spec"]);
  const before = specs();
  await addTrouble(rig.client, "bad-virtual-service");
  await rig.pass(2);
  const codes = all(virtualServices)
    .flatMap((each) => objectsAt(each, "status", "validationMessages"))
    .map((message) => textOf(message, "type", "code"));
  expect(codes).toContain("IST0101");
  await healTrouble(rig.client, "bad-virtual-service");
  await rig.pass(2);
  expect(specs()).toEqual(before);
  expect(all(virtualServices).flatMap((each) => objectsAt(each, "status", "validationMessages"))).toEqual([]);
});

test.each(["image-pull", "crash-loop", "slow-start", "node-loss"] as const)(
  "%s finds somebody to strike and heals",
  async (trouble) => {
    await addTrouble(rig.client, trouble);
    await rig.pass(75);
    const isWell = (): boolean =>
      all("apps/deployments").every(
        (each) => countOf(each, "status", "readyReplicas") === countOf(each, "spec", "replicas"),
      );
    if (trouble !== "slow-start") expect(isWell()).toBe(false);
    await healTrouble(rig.client, trouble);
    await rig.pass(90);
    expect(isWell()).toBe(true);
  },
);

test("the same seed gives the same objects, another cluster others", () => {
  expect(buildBuiltinObjects(options)).toEqual(buildBuiltinObjects(options));
  const other = buildBuiltinObjects({ ...options, clusterName: "us-1", region: "us" });
  expect(other).not.toEqual(buildBuiltinObjects(options));
});

test("Pods of one cluster have addresses of their own", () => {
  const addresses = all("pods")
    .filter(isActive)
    .map((pod) => textOf(pod, "status", "podIP"));
  expect(new Set(addresses).size).toBe(addresses.length);
  expect(all("pods").every((pod) => namespaceOf(pod) !== "" && Object.keys(labelsOf(pod)).length > 0)).toBe(true);
});

test("what somebody deleted stays deleted", async () => {
  await rig.client.delete({ resource: "apps/deployments", namespace: "shop", name: "cart" });
  await applyScenario(rig.client, options);
  expect(rig.get("apps/deployments", "cart")).toBeUndefined();
});
