// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { DrivenController } from "../bootstrap/testing/driven-controller.ts";
import { openTestCluster, type TestCluster } from "../bootstrap/testing/open-test-cluster.ts";
import { type DraftObject, ensureObject, type JsonObject } from "../json/json.ts";
import { listAt, textAt } from "../json/json-fields.ts";
import type { ObjectRef } from "./cluster-client.ts";
import { createCrdController } from "./crd-controller.ts";
import { createNamespaceController } from "./namespace-controller.ts";

const pod = { spec: { nodeName: "node", containers: [{ name: "c", image: "i" }] } };
const hold = "example.com/hold";

async function openWithNamespaces(...names: readonly string[]): Promise<TestCluster> {
  const cluster = await openTestCluster();
  for (const name of names) {
    await cluster.client.create("namespaces", { metadata: { name } });
    await add(cluster, "serviceaccounts", name, "default");
  }
  return cluster;
}

async function add(
  { client }: TestCluster,
  resource: string,
  namespace: string,
  name: string,
  more: DraftObject & { readonly finalizers?: string[] } = {},
): Promise<ObjectRef> {
  const { finalizers, ...rest } = more;
  await client.create(resource, { metadata: { namespace, name, ...(finalizers && { finalizers }) }, ...rest });
  return { resource, namespace, name };
}

function start(cluster: TestCluster): DrivenController {
  return new DrivenController(cluster.client, createNamespaceController(cluster));
}

async function deleteNamespace({ client }: TestCluster, name: string): Promise<void> {
  await client.delete({ resource: "namespaces", namespace: "", name });
}

async function release({ client }: TestCluster, ref: ObjectRef): Promise<void> {
  await client.update(ref, (draft) => void delete ensureObject(draft, "metadata")["finalizers"]);
}

function find({ client }: TestCluster, name: string): JsonObject | undefined {
  return client.objects.get("namespaces", "", name);
}

/** Type, status, reason and message of each condition. */
function conditionsOf(cluster: TestCluster, name: string): readonly (readonly (string | undefined)[])[] {
  const conditions = listAt(find(cluster, name) ?? {}, "status", "conditions") ?? [];
  return conditions.map((each) => ["type", "status", "reason", "message"].map((key) => textAt(each, key)));
}

/** As the real server says it. */
const allFine = [
  ["NamespaceDeletionDiscoveryFailure", "False", "ResourcesDiscovered", "All resources successfully discovered"],
  [
    "NamespaceDeletionGroupVersionParsingFailure",
    "False",
    "ParsedGroupVersions",
    "All legacy kube types successfully parsed",
  ],
  [
    "NamespaceDeletionContentFailure",
    "False",
    "ContentDeleted",
    "All content successfully deleted, may be waiting on finalization",
  ],
  ["NamespaceContentRemaining", "False", "ContentRemoved", "All content successfully removed"],
  ["NamespaceFinalizersRemaining", "False", "ContentHasNoFinalizers", "All content-preserving finalizers finished"],
];

test("a deleted namespace goes with all that is in it, and nothing else does", async () => {
  await using cluster = await openWithNamespaces("n", "other");
  const controller = start(cluster);
  for (const namespace of ["n", "other"]) {
    await add(cluster, "configmaps", namespace, "c");
    await add(cluster, "events", namespace, "e", { involvedObject: { namespace } });
    await add(cluster, "rbac.authorization.k8s.io/roles", namespace, "r");
  }
  await deleteNamespace(cluster, "n");
  expect(textAt(find(cluster, "n") ?? {}, "status", "phase")).toBe("Terminating");
  await controller.settle();
  expect(find(cluster, "n")).toBeUndefined();
  const left = ["configmaps", "events", "rbac.authorization.k8s.io/roles", "serviceaccounts"].flatMap((resource) =>
    cluster.client.objects.list(resource).map((object) => textAt(object, "metadata", "namespace")),
  );
  expect(left).toEqual(["other", "other", "other", "other"]);
  expect(controller.failures).toEqual([]);
});

test("custom resources go with their namespace", async () => {
  await using cluster = await openWithNamespaces("n");
  const { client, clock } = cluster;
  await client.create("apiextensions.k8s.io/customresourcedefinitions", {
    metadata: { name: "widgets.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
    },
  });
  await new DrivenController(client, createCrdController(client, clock)).settle();
  await add(cluster, "example.com/widgets", "n", "w");
  await deleteNamespace(cluster, "n");
  await start(cluster).settle();
  expect(client.objects.list("example.com/widgets")).toEqual([]);
  expect(find(cluster, "n")).toBeUndefined();
});

test("objects with finalizers are waited for, with the conditions of kube-apiserver", async () => {
  await using cluster = await openWithNamespaces("n");
  const controller = start(cluster);
  const held = [
    await add(cluster, "configmaps", "n", "c1", { finalizers: [hold, "example.com/b"] }),
    await add(cluster, "configmaps", "n", "c2", { finalizers: [hold, "example.com/b"] }),
    await add(cluster, "secrets", "n", "s", { finalizers: [hold] }),
    await add(cluster, "events", "n", "e", { finalizers: [hold], involvedObject: { namespace: "n" } }),
  ];
  await deleteNamespace(cluster, "n");
  await controller.settle();
  expect(conditionsOf(cluster, "n")).toEqual([
    ...allFine.slice(0, 3),
    [
      "NamespaceContentRemaining",
      "True",
      "SomeResourcesRemain",
      "Some resources are remaining: configmaps. has 2 resource instances, events. has 1 resource instances, events.events.k8s.io has 1 resource instances, secrets. has 1 resource instances",
    ],
    [
      "NamespaceFinalizersRemaining",
      "True",
      "SomeFinalizersRemain",
      "Some content in the namespace has finalizers remaining: example.com/b in 2 resource instances, example.com/hold in 5 resource instances",
    ],
  ]);
  const { revision } = cluster;
  await controller.retry();
  expect(cluster.revision).toBe(revision);
  for (const ref of held) await release(cluster, ref);
  await controller.settle();
  expect(find(cluster, "n")).toBeUndefined();
});

test("nothing else is touched while there are Pods", async () => {
  await using cluster = await openWithNamespaces("n");
  const controller = start(cluster);
  const ref = await add(cluster, "pods", "n", "p", { ...pod, finalizers: [hold] });
  await add(cluster, "configmaps", "n", "c");
  await deleteNamespace(cluster, "n");
  await controller.settle();
  expect(textAt(cluster.client.objects.get("pods", "n", "p") ?? {}, "metadata", "deletionTimestamp")).toBeDefined();
  expect(cluster.client.objects.list("configmaps", "n")).toHaveLength(1);
  expect(conditionsOf(cluster, "n")).toEqual(allFine);
  await release(cluster, ref);
  await cluster.client.delete(ref, { graceSeconds: 0 });
  await controller.settle();
  expect(cluster.client.objects.list("configmaps", "n")).toEqual([]);
  expect(find(cluster, "n")).toBeUndefined();
});

test("Pods that stay after their grace are a failure, and time changes only with a condition's status", async () => {
  await using cluster = await openWithNamespaces("n");
  const controller = start(cluster);
  await add(cluster, "pods", "n", "p", pod);
  await deleteNamespace(cluster, "n");
  await controller.settle();
  expect(conditionsOf(cluster, "n")).toEqual(allFine);
  expect(controller.waitingKeys).toEqual(["n"]);
  await cluster.clock.advance(31_000);
  await controller.retry();
  expect(conditionsOf(cluster, "n")[2]).toEqual([
    "NamespaceDeletionContentFailure",
    "True",
    "ContentDeletionFailed",
    "Failed to delete all resource types, 1 remaining: unexpected items still remain in namespace: n for gvr: /v1, Resource=pods",
  ]);
  const conditions = listAt(find(cluster, "n") ?? {}, "status", "conditions") ?? [];
  expect(conditions.map((each) => textAt(each, "lastTransitionTime"))).toEqual([
    "2026-01-01T00:00:00Z",
    "2026-01-01T00:00:00Z",
    "2026-01-01T00:00:31Z",
    "2026-01-01T00:00:00Z",
    "2026-01-01T00:00:00Z",
  ]);
});

test("a finalizer of another controller in the spec keeps the empty namespace", async () => {
  await using cluster = await openTestCluster();
  const controller = start(cluster);
  const ref = { resource: "namespaces", namespace: "", name: "n" };
  await cluster.client.create("namespaces", {
    metadata: { name: "n" },
    spec: { finalizers: ["kubernetes", "example.com/x"] },
  });
  await deleteNamespace(cluster, "n");
  await controller.settle();
  expect(listAt(find(cluster, "n") ?? {}, "spec", "finalizers")).toEqual(["example.com/x"]);
  await cluster.client.update(ref, (draft) => void delete ensureObject(draft, "spec")["finalizers"], "finalize");
  await controller.settle();
  expect(find(cluster, "n")).toBeUndefined();
});

test("a controller that starts later finds the namespaces that are going", async () => {
  await using cluster = await openWithNamespaces("n");
  await add(cluster, "configmaps", "n", "c");
  await deleteNamespace(cluster, "n");
  await start(cluster).settle();
  expect(find(cluster, "n")).toBeUndefined();
  expect(cluster.client.objects.list("configmaps")).toEqual([]);
});
