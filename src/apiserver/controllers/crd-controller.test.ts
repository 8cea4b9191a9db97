// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { DrivenController } from "../bootstrap/testing/driven-controller.ts";
import { openTestCluster, type TestCluster } from "../bootstrap/testing/open-test-cluster.ts";
import { type DraftObject, type JsonObject } from "../json/json.ts";
import { textAt } from "../json/json-fields.ts";
import { crdResource, createCrdController } from "./crd-controller.ts";

interface DefinitionOptions {
  readonly plural?: string;
  readonly kind?: string;
  readonly served?: boolean;
  readonly schema?: DraftObject;
}

function definition({
  plural = "widgets",
  kind = "Widget",
  served = true,
  schema,
}: DefinitionOptions = {}): DraftObject {
  const openAPIV3Schema = schema ?? { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  return {
    metadata: { name: `${plural}.example.com` },
    spec: {
      group: "example.com",
      scope: "Cluster",
      names: { plural, kind },
      versions: [{ name: "v1", served, storage: true, schema: { openAPIV3Schema } }],
    },
  };
}

const widget = (name: string, more: DraftObject = {}): DraftObject => ({
  apiVersion: "example.com/v1",
  kind: "Widget",
  metadata: { name, ...more },
});
const widgetRef = (name: string): { resource: string; namespace: string; name: string } => ({
  resource: "example.com/widgets",
  namespace: "",
  name,
});
const definitionRef = (plural = "widgets"): { resource: string; namespace: string; name: string } => ({
  resource: crdResource,
  namespace: "",
  name: `${plural}.example.com`,
});

/** The conditions of a definition as `Type=Status Reason`; undefined once it is gone. */
function conditionsOf(cluster: TestCluster, plural = "widgets"): readonly string[] | undefined {
  const found = cluster.client.objects.get(crdResource, "", `${plural}.example.com`);
  if (found === undefined) return undefined;
  const { conditions = [] } = (found["status"] ?? {}) as { readonly conditions?: readonly JsonObject[] };
  return conditions.map((each) => `${textAt(each, "type")}=${textAt(each, "status")} ${textAt(each, "reason")}`);
}

const isServed = ({ resources }: TestCluster, plural = "widgets"): boolean =>
  resources.find("example.com", "v1", plural) !== undefined;

async function openDriven(cluster: TestCluster): Promise<DrivenController> {
  const driven = new DrivenController(cluster.client, createCrdController(cluster.client, cluster.clock));
  await driven.settle();
  return driven;
}

async function settle(driven: DrivenController): Promise<void> {
  await driven.settle();
  expect(driven.failures).toEqual([]);
}

test("a definition is established, and its kind served from then on", async () => {
  await using cluster = await openTestCluster();
  const driven = await openDriven(cluster);
  await cluster.client.create(crdResource, definition());
  expect(isServed(cluster)).toBe(false);
  await settle(driven);
  expect(conditionsOf(cluster)).toEqual(["NamesAccepted=True NoConflicts", "Established=True InitialNamesAccepted"]);
  expect(isServed(cluster)).toBe(true);
  expect(await cluster.client.create("example.com/widgets", widget("a"))).toMatchObject({ metadata: { name: "a" } });
});

test("looking again at an established definition writes nothing", async () => {
  await using cluster = await openTestCluster();
  const driven = await openDriven(cluster);
  await cluster.client.create(crdResource, definition());
  await settle(driven);
  const before = cluster.revision;
  await openDriven(cluster);
  expect(cluster.revision).toBe(before);
});

test("a changed schema holds for the next object", async () => {
  await using cluster = await openTestCluster();
  const driven = await openDriven(cluster);
  await cluster.client.create(crdResource, definition());
  await settle(driven);
  await cluster.client.update(definitionRef(), (draft) => {
    const schema = { type: "object", required: ["spec"], properties: { spec: { type: "string" } } };
    draft["spec"] = definition({ schema })["spec"] ?? {};
  });
  await settle(driven);
  await expect(cluster.client.create("example.com/widgets", widget("a"))).rejects.toMatchObject({ code: 422 });
});

test("of two definitions that ask for one kind at the same time only one gets it", async () => {
  await using cluster = await openTestCluster();
  const controller = createCrdController(cluster.client, cluster.clock);
  await cluster.client.create(crdResource, definition());
  await cluster.client.create(crdResource, definition({ plural: "gadgets" }));
  const { signal } = new AbortController();
  await Promise.all(["widgets", "gadgets"].map((plural) => controller.reconcile(`${plural}.example.com`, signal)));
  const said = [conditionsOf(cluster), conditionsOf(cluster, "gadgets")];
  expect(said).toContainEqual(["NamesAccepted=True NoConflicts", "Established=True InitialNamesAccepted"]);
  expect(said).toContainEqual(["NamesAccepted=False ListKindConflict", "Established=False NotAccepted"]);
});

test("a name that becomes free goes to the definition that waits for it", async () => {
  await using cluster = await openTestCluster();
  const driven = await openDriven(cluster);
  await cluster.client.create(crdResource, definition());
  await settle(driven);
  await cluster.client.create(crdResource, definition({ plural: "gadgets" }));
  await settle(driven);
  expect(isServed(cluster, "gadgets")).toBe(false);
  await cluster.client.delete(definitionRef());
  await settle(driven);
  expect(conditionsOf(cluster)).toBeUndefined();
  expect(isServed(cluster, "gadgets")).toBe(true);
});

test("a deleted definition goes after its objects", async () => {
  await using cluster = await openTestCluster();
  const driven = await openDriven(cluster);
  await cluster.client.create(crdResource, definition());
  await settle(driven);
  for (const name of ["a", "b"]) await cluster.client.create("example.com/widgets", widget(name));
  await cluster.client.delete(definitionRef());
  expect(conditionsOf(cluster)).toContain("Terminating=True InstanceDeletionPending");
  await settle(driven);
  expect(cluster.client.objects.list("example.com/widgets")).toEqual([]);
  expect(conditionsOf(cluster)).toBeUndefined();
  expect(isServed(cluster)).toBe(false);
});

test("an object with a finalizer holds its definition until it lets go", async () => {
  await using cluster = await openTestCluster();
  const driven = await openDriven(cluster);
  await cluster.client.create(crdResource, definition());
  await settle(driven);
  await cluster.client.create("example.com/widgets", widget("held", { finalizers: ["example.com/keep"] }));
  await cluster.client.create("example.com/widgets", widget("free"));
  await cluster.client.delete(definitionRef());
  await settle(driven);
  expect(conditionsOf(cluster)).toContain("Terminating=True InstanceDeletionInProgress");
  expect(cluster.client.objects.list("example.com/widgets")).toHaveLength(1);
  await cluster.client.update(widgetRef("held"), (draft) => {
    (draft["metadata"] as DraftObject)["finalizers"] = [];
  });
  await settle(driven);
  expect(conditionsOf(cluster)).toBeUndefined();
});

test("a definition that was never established goes at once", async () => {
  await using cluster = await openTestCluster();
  await cluster.client.create(crdResource, definition());
  await cluster.client.delete(definitionRef());
  const driven = await openDriven(cluster);
  await settle(driven);
  expect(conditionsOf(cluster)).toBeUndefined();
});

test("a definition whose only version is no longer served still takes its objects with it", async () => {
  await using cluster = await openTestCluster();
  const driven = await openDriven(cluster);
  await cluster.client.create(crdResource, definition());
  await settle(driven);
  await cluster.client.create("example.com/widgets", widget("a"));
  await cluster.client.update(definitionRef(), (draft) => {
    draft["spec"] = definition({ served: false })["spec"] ?? {};
  });
  await settle(driven);
  expect(isServed(cluster)).toBe(false);
  await cluster.client.delete(definitionRef());
  await settle(driven);
  expect(cluster.client.objects.list("example.com/widgets")).toEqual([]);
  expect(conditionsOf(cluster)).toBeUndefined();
});

test("after a restart the established definitions are served before anybody asks", async () => {
  await using cluster = await openTestCluster();
  const driven = await openDriven(cluster);
  await cluster.client.create(crdResource, definition());
  await settle(driven);
  await using restarted = await openTestCluster({ store: cluster.store });
  expect(isServed(restarted)).toBe(true);
});
