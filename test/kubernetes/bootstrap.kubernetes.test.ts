// SPDX-License-Identifier: Apache-2.0
// What our clusters are born with, beside what a real one is born with.

import { expect, test } from "vitest";
import { installBootstrap } from "../../src/apiserver/bootstrap/install-bootstrap.ts";
import { openTestCluster } from "../../src/apiserver/bootstrap/testing/open-test-cluster.ts";
import { copyJson, deleteKey, ensureObject, isObject, type JsonObject } from "../../src/apiserver/json/json.ts";
import { listAt, objectAt, textAt } from "../../src/apiserver/json/json-fields.ts";
import { describeOnKit } from "./describe-on-kit.ts";
import type { KubeClient } from "./kube-client.ts";
import { startCluster } from "./start-cluster.ts";

const address = { ip: "192.0.2.1", port: 6443 };

/** What differs from server to server. */
const ownParts = ["uid", "resourceVersion", "creationTimestamp", "managedFields"];

/** Roles that aggregation fills; the real server has them without rules until its controllers run. */
const aggregated = new Set(["admin", "edit", "view"]);

const resources = [
  ["rbac.authorization.k8s.io/clusterroles", "/apis/rbac.authorization.k8s.io/v1/clusterroles"],
  ["rbac.authorization.k8s.io/clusterrolebindings", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings"],
  ["rbac.authorization.k8s.io/roles", "/apis/rbac.authorization.k8s.io/v1/roles"],
  ["rbac.authorization.k8s.io/rolebindings", "/apis/rbac.authorization.k8s.io/v1/rolebindings"],
  ["namespaces", "/api/v1/namespaces"],
  ["scheduling.k8s.io/priorityclasses", "/apis/scheduling.k8s.io/v1/priorityclasses"],
  ["services", "/api/v1/services"],
  ["endpoints", "/api/v1/endpoints"],
  ["discovery.k8s.io/endpointslices", "/apis/discovery.k8s.io/v1/endpointslices"],
] as const;

function comparable(object: JsonObject): JsonObject {
  const copy = copyJson(object);
  const metadata = ensureObject(copy, "metadata");
  for (const part of ownParts) deleteKey(metadata, part);
  if (aggregated.has(textAt(metadata, "name") ?? "")) deleteKey(copy, "rules");
  return copy;
}

async function readList(client: KubeClient, path: string): Promise<readonly JsonObject[]> {
  const answer = (await client.ask("GET", path)) as JsonObject;
  return (listAt(answer, "items") ?? []).filter((each) => isObject(each));
}

describeOnKit("what a cluster is born with", ["controllers"], (kit) => {
  test("objects are those of the real server, one by one", async () => {
    // The server's own port is told by its Service, so ours takes the real one's.
    const flags = ["--endpoint-reconciler-type=lease", `--advertise-address=${address.ip}`];
    await using real = await startCluster({ kit, apiserverFlags: flags });
    const client = real.connect();
    const isThere = async (): Promise<number> => (await readList(client, "/api/v1/endpoints")).length;
    await expect.poll(isThere, { timeout: 30_000, interval: 100 }).toBe(1);
    await using ours = await openTestCluster({ clusterIpRange: "10.0.0.0/24" });
    const port = Number(new URL(real.url).port);
    await installBootstrap(ours.client, { address: { ...address, port }, clusterIpRange: "10.0.0.0/24" });
    for (const [resource, path] of resources) {
      const wanted = (await readList(client, path)).map(comparable);
      expect(ours.client.objects.list(resource).map(comparable), resource).toEqual(wanted);
    }
  }, 60_000);

  test("aggregated roles begin with the rules that the real controllers give them", async () => {
    await using real = await startCluster({ kit, controllers: true });
    const client = real.connect();
    await using ours = await openTestCluster();
    await installBootstrap(ours.client);
    const ourRules = Object.fromEntries(
      ours.client.objects
        .list("rbac.authorization.k8s.io/clusterroles")
        .filter((role) => objectAt(role, "aggregationRule") !== undefined)
        .map((role) => [textAt(role, "metadata", "name") ?? "", listAt(role, "rules")]),
    );
    expect(Object.keys(ourRules)).toEqual([...aggregated]);
    const realRules = async (): Promise<unknown> => {
      const roles = await readList(client, "/apis/rbac.authorization.k8s.io/v1/clusterroles");
      const found = roles.filter((role) => objectAt(role, "aggregationRule") !== undefined);
      return Object.fromEntries(found.map((role) => [textAt(role, "metadata", "name") ?? "", listAt(role, "rules")]));
    };
    await expect.poll(realRules, { timeout: 30_000, interval: 100 }).toEqual(ourRules);
  }, 60_000);
});
