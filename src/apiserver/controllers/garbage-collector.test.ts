// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { silentLogger } from "../../base/log.ts";
import { createSeededRandom } from "../../base/random.ts";
import { runController } from "../../controllers/run-controller.ts";
import { DrivenController } from "../bootstrap/testing/driven-controller.ts";
import { openTestCluster, type TestCluster } from "../bootstrap/testing/open-test-cluster.ts";
import { type DraftObject, type JsonObject } from "../json/json.ts";
import { listAt, textAt } from "../json/json-fields.ts";
import type { Propagation } from "../request/delete-options.ts";
import { createCrdController } from "./crd-controller.ts";
import { createGarbageCollector } from "./garbage-collector.ts";

/** ConfigMaps that own each other, in the namespace `n` unless said otherwise. */
class Family {
  readonly cluster: TestCluster;
  collector: DrivenController;

  constructor(cluster: TestCluster) {
    this.cluster = cluster;
    this.collector = this.startCollector();
  }

  static async open(cluster: TestCluster): Promise<Family> {
    for (const name of ["n", "other"]) await cluster.client.create("namespaces", { metadata: { name } });
    return new Family(cluster);
  }

  startCollector(): DrivenController {
    return new DrivenController(this.cluster.client, createGarbageCollector(this.cluster));
  }

  get(name: string, namespace = "n"): JsonObject | undefined {
    return this.cluster.client.objects.get("configmaps", namespace, name);
  }

  /** Names in the namespace `n`. */
  get names(): readonly string[] {
    return this.cluster.client.objects
      .list("configmaps", "n")
      .map((object) => textAt(object, "metadata", "name") ?? "");
  }

  ownersOf(name: string): readonly string[] {
    const references = listAt(this.get(name) ?? {}, "metadata", "ownerReferences") ?? [];
    return references.map((reference) => textAt(reference, "name") ?? "");
  }

  reference(name: string, more: DraftObject = {}, namespace = "n"): DraftObject {
    const uid = textAt(this.get(name, namespace) ?? {}, "metadata", "uid") ?? `no-uid-of-${name}`;
    return { apiVersion: "v1", kind: "ConfigMap", name, uid, ...more };
  }

  async add(name: string, owners: readonly (string | DraftObject)[] = [], more: DraftObject = {}): Promise<void> {
    const ownerReferences = owners.map((owner) => (typeof owner === "string" ? this.reference(owner) : owner));
    await this.cluster.client.create("configmaps", { metadata: { namespace: "n", name, ownerReferences, ...more } });
  }

  async own(name: string, owners: readonly DraftObject[]): Promise<void> {
    await this.cluster.client.update({ resource: "configmaps", namespace: "n", name }, (draft) => {
      (draft["metadata"] as DraftObject)["ownerReferences"] = [...owners];
    });
  }

  async delete(name: string, propagation: Propagation): Promise<void> {
    await this.cluster.client.delete({ resource: "configmaps", namespace: "n", name }, { propagation });
  }

  async settle(): Promise<void> {
    await this.collector.settle();
    expect(this.collector.failures).toEqual([]);
  }
}

const blocking = { blockOwnerDeletion: true };

test("background: dependents go after their owner, and theirs after them", async () => {
  await using cluster = await openTestCluster();
  const family = await Family.open(cluster);
  await family.add("a");
  await family.add("b", ["a"]);
  await family.add("c", ["b"]);
  await family.add("bystander");
  await family.settle();
  await family.delete("a", "Background");
  expect(family.names).toEqual(["b", "bystander", "c"]);
  await family.settle();
  expect(family.names).toEqual(["bystander"]);
});

test("foreground: the owner goes after the dependents that block it", async () => {
  await using cluster = await openTestCluster();
  const family = await Family.open(cluster);
  await family.add("a");
  await family.add("b", [family.reference("a", blocking)], { finalizers: ["example.com/hold"] });
  await family.add("loose", ["a"], { finalizers: ["example.com/hold"] });
  await family.delete("a", "Foreground");
  await family.settle();
  expect(family.names).toEqual(["a", "b", "loose"]);
  expect(textAt(family.get("loose") ?? {}, "metadata", "deletionTimestamp")).toBeDefined();
  await cluster.client.update({ resource: "configmaps", namespace: "n", name: "b" }, (draft) => {
    delete (draft["metadata"] as DraftObject)["finalizers"];
  });
  await family.settle();
  expect(family.names).toEqual(["loose"]);
});

test("foreground reaches dependents of dependents before their owner goes", async () => {
  await using cluster = await openTestCluster();
  const family = await Family.open(cluster);
  await family.add("a");
  await family.add("b", [family.reference("a", blocking)]);
  await family.add("c", [family.reference("b", blocking)], { finalizers: ["example.com/hold"] });
  await family.delete("a", "Foreground");
  await family.settle();
  expect(family.names).toEqual(["a", "b", "c"]);
  expect(listAt(family.get("b") ?? {}, "metadata", "finalizers")).toEqual(["foregroundDeletion"]);
  await cluster.client.update({ resource: "configmaps", namespace: "n", name: "c" }, (draft) => {
    delete (draft["metadata"] as DraftObject)["finalizers"];
  });
  await family.settle();
  expect(family.names).toEqual([]);
});

test("foreground does not wait for a dependent that stops blocking", async () => {
  await using cluster = await openTestCluster();
  const family = await Family.open(cluster);
  await family.add("a");
  await family.add("b", [family.reference("a", blocking)], { finalizers: ["example.com/hold"] });
  await family.delete("a", "Foreground");
  await family.settle();
  await family.own("b", [family.reference("a")]);
  await family.settle();
  expect(family.names).toEqual(["b"]);
});

test("orphan: dependents lose the reference and stay", async () => {
  await using cluster = await openTestCluster();
  const family = await Family.open(cluster);
  for (const name of ["a", "o"]) await family.add(name);
  for (let index = 0; index < 20; index += 1) await family.add(`b${index}`, ["a"]);
  await family.add("c", ["a", "o"]);
  await family.delete("a", "Orphan");
  expect(family.names).toContain("a");
  await family.settle();
  expect(family.names).toHaveLength(22);
  expect(family.get("a")).toBeUndefined();
  expect(listAt(family.get("b0") ?? {}, "metadata", "ownerReferences")).toBeUndefined();
  expect(family.ownersOf("c")).toEqual(["o"]);
});

test("an object with a living owner only loses the references to the others", async () => {
  await using cluster = await openTestCluster();
  const family = await Family.open(cluster);
  for (const name of ["a", "b", "w"]) await family.add(name);
  await family.add("c", ["a", "b", family.reference("w", blocking)]);
  await family.delete("a", "Background");
  await family.settle();
  expect(family.ownersOf("c")).toEqual(["b", "w"]);
  await family.delete("w", "Foreground");
  await family.settle();
  expect(family.ownersOf("c")).toEqual(["b"]);
  expect(family.names).toEqual(["b", "c"]);
});

test("owners that never existed, or are another incarnation, are absent", async () => {
  await using cluster = await openTestCluster();
  const family = await Family.open(cluster);
  await family.add("there");
  await family.add("never", [family.reference("nobody")]);
  await family.add("other-uid", [family.reference("there", { uid: "another" })]);
  await family.settle();
  expect(family.names).toEqual(["there"]);
});

test("an owner in another namespace is absent", async () => {
  await using cluster = await openTestCluster();
  const family = await Family.open(cluster);
  await cluster.client.create("configmaps", { metadata: { namespace: "other", name: "far" } });
  await family.add("a", [family.reference("far", {}, "other")]);
  await family.settle();
  expect(family.names).toEqual([]);
});

test("cluster-wide owners own objects in namespaces", async () => {
  await using cluster = await openTestCluster();
  const family = await Family.open(cluster);
  const role = await cluster.client.create("rbac.authorization.k8s.io/clusterroles", { metadata: { name: "owner" } });
  const uid = textAt(role, "metadata", "uid") ?? "";
  await family.add("a", [{ apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", name: "owner", uid }]);
  await family.settle();
  expect(family.names).toEqual(["a"]);
  await cluster.client.delete({ resource: "rbac.authorization.k8s.io/clusterroles", namespace: "", name: "owner" });
  await family.settle();
  expect(family.names).toEqual([]);
});

test("a cluster-wide object that names an owner in a namespace is left alone", async () => {
  await using cluster = await openTestCluster();
  const family = await Family.open(cluster);
  await cluster.client.create("rbac.authorization.k8s.io/clusterroles", {
    metadata: { name: "r", ownerReferences: [family.reference("nobody")] },
  });
  await family.settle();
  expect(cluster.client.objects.list("rbac.authorization.k8s.io/clusterroles")).toHaveLength(1);
});

test("an object whose owner's kind is not served waits for the kind", async () => {
  await using cluster = await openTestCluster();
  const family = await Family.open(cluster);
  await family.add("a", [{ apiVersion: "example.com/v1", kind: "Widget", name: "w", uid: "w-uid" }]);
  await family.settle();
  expect(family.names).toEqual(["a"]);
  expect(family.collector.waitingKeys).toEqual(["configmaps n/a"]);
  await cluster.client.create("apiextensions.k8s.io/customresourcedefinitions", {
    metadata: { name: "widgets.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
    },
  });
  await new DrivenController(cluster.client, createCrdController(cluster.client, cluster.clock)).settle();
  await family.settle();
  expect(family.names).toEqual([]);
});

test("an owner that was seen to go is gone even when its kind is no longer served", async () => {
  await using cluster = await openTestCluster();
  const family = await Family.open(cluster);
  await family.add("a");
  const { uid = "" } = family.reference("a");
  await family.add("b", ["a", { apiVersion: "example.com/v1", kind: "Widget", name: "w", uid }]);
  await family.delete("a", "Background");
  await family.settle();
  expect(family.names).toEqual([]);
});

test("an object that owns itself lives until it is deleted, and then goes at once", async () => {
  await using cluster = await openTestCluster();
  const family = await Family.open(cluster);
  for (const name of ["a", "b"]) await family.add(name);
  for (const name of ["a", "b"]) await family.own(name, [family.reference(name, blocking)]);
  await family.settle();
  expect(family.names).toEqual(["a", "b"]);
  await family.delete("a", "Foreground");
  await family.delete("b", "Background");
  await family.settle();
  expect(family.names).toEqual([]);
});

test("a circle of owners lives until one is deleted in the foreground, and then goes whole", async () => {
  await using cluster = await openTestCluster();
  const family = await Family.open(cluster);
  for (const name of ["a", "b", "c"]) await family.add(name);
  const circle = [
    ["a", "b"],
    ["b", "c"],
    ["c", "a"],
  ] as const;
  for (const [name, owner] of circle) await family.own(name, [family.reference(owner, blocking)]);
  await family.add("d", [family.reference("b", blocking)], { finalizers: ["example.com/hold"] });
  await family.settle();
  expect(family.names).toEqual(["a", "b", "c", "d"]);
  for (const name of ["a", "b"]) await family.delete(name, "Foreground");
  await family.settle();
  expect(family.names).toEqual(["a", "b", "c", "d"]);
  await cluster.client.update({ resource: "configmaps", namespace: "n", name: "d" }, (draft) => {
    delete (draft["metadata"] as DraftObject)["finalizers"];
  });
  await family.settle();
  expect(family.names).toEqual([]);
});

test("a collector that starts later finds what was left undone", async () => {
  await using cluster = await openTestCluster();
  const family = await Family.open(cluster);
  family.collector.stop();
  for (const name of ["a", "b", "c"]) await family.add(name);
  await family.add("a1", ["a"]);
  await family.add("b1", [family.reference("b", blocking)]);
  await family.add("c1", ["c"]);
  await family.delete("a", "Background");
  await family.delete("b", "Foreground");
  await family.delete("c", "Orphan");
  family.collector = family.startCollector();
  await family.settle();
  expect(family.names).toEqual(["c1"]);
});

test("events are left to their own end", async () => {
  await using cluster = await openTestCluster();
  const family = await Family.open(cluster);
  await cluster.client.create("events", {
    metadata: { namespace: "n", name: "e", ownerReferences: [family.reference("nobody")] },
    involvedObject: { namespace: "n" },
  });
  await family.settle();
  expect(cluster.client.objects.list("events", "n")).toHaveLength(1);
});

test("it runs until its signal aborts", async () => {
  await using cluster = await openTestCluster();
  const { client, clock } = cluster;
  const family = await Family.open(cluster);
  family.collector.stop();
  await family.add("a");
  await family.add("b", [family.reference("a", blocking)]);
  const { timerCount } = clock;
  const stop = new AbortController();
  const deps = { clock, random: createSeededRandom(1), log: silentLogger };
  const running = runController(client.objects, createGarbageCollector(cluster), deps, stop.signal);
  const allGone = Promise.withResolvers<void>();
  client.objects.subscribe(() => {
    if (family.names.length === 0) allGone.resolve();
  });
  await family.delete("a", "Foreground");
  await allGone.promise;
  stop.abort();
  await running;
  expect(clock.timerCount).toBe(timerCount);
});
