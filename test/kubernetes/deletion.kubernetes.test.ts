// SPDX-License-Identifier: Apache-2.0
// What deletes lead to in the end, on a real cluster with its controllers and on ours with ours.

import { afterAll, beforeAll, expect, test } from "vitest";
import { DrivenController } from "../../src/apiserver/bootstrap/testing/driven-controller.ts";
import { openTestCluster, type TestCluster } from "../../src/apiserver/bootstrap/testing/open-test-cluster.ts";
import { createGarbageCollector } from "../../src/apiserver/controllers/garbage-collector.ts";
import { createNamespaceController } from "../../src/apiserver/controllers/namespace-controller.ts";
import { copyJson, isObject, type JsonObject } from "../../src/apiserver/json/json.ts";
import { listAt, objectAt, textAt } from "../../src/apiserver/json/json-fields.ts";
import type { Propagation } from "../../src/apiserver/request/delete-options.ts";
import { describeOnKit } from "./describe-on-kit.ts";
import type { KubeClient } from "./kube-client.ts";
import { type KubernetesCluster, startCluster } from "./start-cluster.ts";

interface Member {
  readonly name: string;
  /**
   * Names of owners; `!` before one: its deletion is blocked; `?`: one that never existed; `Kind?`: of a kind that is
   * not served.
   */
  readonly owners?: readonly string[];
  readonly finalizers?: readonly string[];
}

interface Story {
  readonly title: string;
  readonly members: readonly Member[];
  readonly deletes: readonly (readonly [string, Propagation])[];
}

const hold = ["example.com/hold"];

const stories: readonly Story[] = [
  {
    title: "a chain in the background",
    members: [{ name: "a" }, { name: "b", owners: ["a"] }, { name: "c", owners: ["!b"] }, { name: "free" }],
    deletes: [["a", "Background"]],
  },
  {
    title: "a chain in the foreground",
    members: [{ name: "a" }, { name: "b", owners: ["!a"] }, { name: "c", owners: ["!b"] }],
    deletes: [["a", "Foreground"]],
  },
  {
    title: "a chain in the foreground whose end is held",
    members: [{ name: "a" }, { name: "b", owners: ["!a"] }, { name: "c", owners: ["!b"], finalizers: hold }],
    deletes: [["a", "Foreground"]],
  },
  {
    title: "a held dependent that does not block",
    members: [{ name: "a" }, { name: "b", owners: ["a"], finalizers: hold }],
    deletes: [["a", "Foreground"]],
  },
  {
    title: "orphans",
    members: [{ name: "a" }, { name: "o" }, { name: "b", owners: ["a"] }, { name: "c", owners: ["!a", "o"] }],
    deletes: [["a", "Orphan"]],
  },
  {
    title: "several owners, of which some go",
    members: [{ name: "a" }, { name: "w" }, { name: "o" }, { name: "b", owners: ["a", "!w", "o"] }],
    deletes: [
      ["a", "Background"],
      ["w", "Foreground"],
    ],
  },
  {
    title: "owners that never were",
    members: [{ name: "o" }, { name: "b", owners: ["?"] }, { name: "c", owners: ["?", "o"] }],
    deletes: [],
  },
  {
    title: "an owner of a kind that nobody serves",
    members: [{ name: "a" }, { name: "b", owners: ["a", "Kind?"] }],
    deletes: [["a", "Background"]],
  },
  {
    title: "a circle in the foreground",
    members: [
      { name: "a", owners: ["!c"] },
      { name: "b", owners: ["!a"] },
      { name: "c", owners: ["!b"] },
    ],
    deletes: [["a", "Foreground"]],
  },
  {
    title: "a circle in the background",
    members: [
      { name: "a", owners: ["!b"] },
      { name: "b", owners: ["!a"] },
    ],
    deletes: [["a", "Background"]],
  },
];

/** One more pair: when its dependent is gone, the garbage collector has come past all that was written before. */
const lastPair: Story = {
  title: "",
  members: [{ name: "last-owner" }, { name: "last", owners: ["last-owner"] }],
  deletes: [["last-owner", "Background"]],
};

/** Writes to either cluster. */
interface Writer {
  create(path: string, object: JsonObject): Promise<JsonObject>;
  setOwners(namespace: string, name: string, owners: readonly JsonObject[]): Promise<void>;
  delete(namespace: string, name: string, propagation: Propagation): Promise<void>;
}

function writerOf(client: KubeClient): Writer {
  const configMaps = (namespace: string): string => `/api/v1/namespaces/${namespace}/configmaps`;
  return {
    create: async (path, body) => (await client.ask("POST", path, { body })) as JsonObject,
    async setOwners(namespace, name, ownerReferences) {
      const headers = { "content-type": "application/merge-patch+json" };
      await client.ask("PATCH", `${configMaps(namespace)}/${name}`, {
        headers,
        body: { metadata: { ownerReferences } },
      });
    },
    async delete(namespace, name, propagationPolicy) {
      await client.ask("DELETE", `${configMaps(namespace)}/${name}?propagationPolicy=${propagationPolicy}`);
    },
  };
}

function ourWriter({ client }: TestCluster): Writer {
  return {
    create: (path, object) => client.create(path.split("/").at(-1) ?? "", copyJson(object)),
    async setOwners(namespace, name, owners) {
      await client.update({ resource: "configmaps", namespace, name }, (draft) => {
        const metadata = objectAt(draft, "metadata");
        if (metadata !== undefined) metadata["ownerReferences"] = owners.map((owner) => copyJson(owner));
      });
    },
    async delete(namespace, name, propagation) {
      await client.delete({ resource: "configmaps", namespace, name }, { propagation });
    },
  };
}

async function tell(writer: Writer, namespace: string, { members, deletes }: Story): Promise<void> {
  const uids = new Map<string, string>();
  for (const { name, finalizers = [] } of members) {
    const path = `/api/v1/namespaces/${namespace}/configmaps`;
    const made = await writer.create(path, { metadata: { namespace, name, finalizers } });
    uids.set(name, textAt(made, "metadata", "uid") ?? "");
  }
  for (const { name, owners = [] } of members) {
    if (owners.length === 0) continue;
    const references = owners.map((owner) => {
      const isBlocking = owner.startsWith("!");
      const known = owner.slice(isBlocking ? 1 : 0);
      return {
        apiVersion: owner === "Kind?" ? "example.com/v1" : "v1",
        kind: owner === "Kind?" ? "Widget" : "ConfigMap",
        name: owner.endsWith("?") ? "nobody" : known,
        uid: uids.get(known) ?? `no-uid-${owner.length}`,
        blockOwnerDeletion: isBlocking,
      };
    });
    await writer.setOwners(namespace, name, references);
  }
  for (const [name, propagation] of deletes) await writer.delete(namespace, name, propagation);
}

/** Names, owners, finalizers and whether it is going. */
function summary(objects: readonly JsonObject[]): readonly JsonObject[] {
  return objects
    .filter((object) => textAt(object, "metadata", "name") !== "kube-root-ca.crt")
    .map((object) => ({
      name: textAt(object, "metadata", "name") ?? "",
      owners: (listAt(object, "metadata", "ownerReferences") ?? []).map((each) => textAt(each, "name") ?? ""),
      finalizers: listAt(object, "metadata", "finalizers") ?? [],
      isGoing: textAt(object, "metadata", "deletionTimestamp") !== undefined,
    }));
}

async function readList(client: KubeClient, path: string): Promise<readonly JsonObject[]> {
  const answer = (await client.ask("GET", path)) as JsonObject;
  return (listAt(answer, "items") ?? []).filter((each) => isObject(each));
}

function conditionsOf(namespace: JsonObject): readonly unknown[] {
  return (listAt(namespace, "status", "conditions") ?? []).map((each) =>
    ["type", "status", "reason", "message"].map((key) => textAt(each, key)),
  );
}

const patience = { timeout: 30_000, interval: 100 };

describeOnKit("deletes with controllers", ["controllers"], (kit) => {
  let real: KubernetesCluster;
  beforeAll(async () => {
    real = await startCluster({ kit, controllers: true });
  }, 60_000);
  afterAll(() => real.stop());

  test.each(stories)(
    "$title",
    async (story) => {
      const namespace = `story-${stories.indexOf(story)}`;
      await using ours = await openTestCluster();
      const collector = new DrivenController(ours.client, createGarbageCollector(ours));
      for (const writer of [writerOf(real.connect()), ourWriter(ours)]) {
        await writer.create("/api/v1/namespaces", { metadata: { name: namespace } });
        for (const each of [story, lastPair]) await tell(writer, namespace, each);
      }
      await collector.settle();
      const wanted = summary(ours.client.objects.list("configmaps", namespace));
      const path = `/api/v1/namespaces/${namespace}/configmaps`;
      await expect.poll(async () => summary(await readList(real.connect(), path)), patience).toEqual(wanted);
    },
    60_000,
  );

  test("a namespace that finalizers hold", async () => {
    const name = "held";
    await using ours = await openTestCluster();
    const controller = new DrivenController(ours.client, createNamespaceController(ours));
    const client = real.connect();
    for (const writer of [writerOf(client), ourWriter(ours)]) {
      await writer.create("/api/v1/namespaces", { metadata: { name } });
      for (const [resource, object] of [
        ["configmaps", { finalizers: [...hold, "example.com/b"] }],
        ["secrets", { finalizers: hold }],
        ["events", { finalizers: hold }],
      ] as const)
        await writer.create(`/api/v1/namespaces/${name}/${resource}`, {
          metadata: { namespace: name, name: "x", ...object },
          ...(resource === "events" ? { involvedObject: { namespace: name } } : {}),
        });
    }
    await client.ask("DELETE", `/api/v1/namespaces/${name}`);
    await ours.client.delete({ resource: "namespaces", namespace: "", name });
    await controller.settle();
    const wanted = conditionsOf(ours.client.objects.get("namespaces", "", name) ?? {});
    const told = async (): Promise<unknown> =>
      conditionsOf((await client.ask("GET", `/api/v1/namespaces/${name}`)) as JsonObject);
    await expect.poll(told, patience).toEqual(wanted);
  }, 60_000);
});
