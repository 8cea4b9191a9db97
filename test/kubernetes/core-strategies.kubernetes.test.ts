// SPDX-License-Identifier: Apache-2.0
// Objects of the core kinds, created and changed here and on a real server: the same defaults, the same refusals.
import { afterAll, beforeAll, expect, test } from "vitest";
import type { JsonObject } from "../../src/apiserver/json/json.ts";
import { applyMerge } from "./core-strategies/apply-merge.ts";
import { toComparable } from "./core-strategies/comparable.ts";
import type { CoreCase } from "./core-strategies/core-case.ts";
import { createHere, updateHere } from "./core-strategies/create-here.ts";
import { objectCases } from "./core-strategies/object-cases.ts";
import { podCases } from "./core-strategies/pod-cases.ts";
import { serviceCases } from "./core-strategies/service-cases.ts";
import { updateCases } from "./core-strategies/update-cases.ts";
import { describeOnKit } from "./describe-on-kit.ts";
import type { KubeClient } from "./kube-client.ts";
import { type KubernetesCluster, startCluster } from "./start-cluster.ts";

const clusterWide = new Set(["namespaces", "nodes", "persistentvolumes"]);

function pathOf({ resource }: CoreCase): string {
  return clusterWide.has(resource) ? `/api/v1/${resource}` : `/api/v1/namespaces/default/${resource}`;
}

function nameOf({ metadata }: JsonObject): string {
  return (metadata as { readonly name: string }).name;
}

describeOnKit("core kinds", [], (kit) => {
  let cluster: KubernetesCluster;
  let client: KubeClient;

  beforeAll(async () => {
    cluster = await startCluster({ kit });
    client = cluster.connect();
    const body = { metadata: { name: "default" } };
    await client.ask("POST", "/api/v1/namespaces/default/serviceaccounts", { body });
  });
  afterAll(() => cluster.stop());

  test.for([...podCases, ...serviceCases, ...objectCases].map((each) => [each.name, each] as const))(
    "created: %s",
    async ([, each]) => {
      const { body } = await client.send("POST", `${pathOf(each)}?dryRun=All`, { body: each.body });
      expect(toComparable(createHere(each))).toEqual(toComparable(body as JsonObject));
    },
  );

  test.for(updateCases.map((each, index) => [each.name, each, index] as const))(
    "changed: %s",
    async ([, each, index]) => {
      // Some objects outlive their deletion for a while, so each case has a name of its own.
      const sample = { ...each.body, metadata: { ...(each.body["metadata"] as JsonObject), name: `sample-${index}` } };
      const stored = (await client.ask("POST", pathOf(each), { body: sample })) as JsonObject;
      const body = applyMerge(stored, each.patch);
      const path = `${pathOf(each)}/${nameOf(stored)}?dryRun=All`;
      const answer = (await client.send("PUT", path, { body })).body as JsonObject;
      expect(toComparable(updateHere(each.resource, body, stored))).toEqual(toComparable(answer));
    },
  );
});
