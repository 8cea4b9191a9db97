// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { aggregateRules, isAggregated } from "../controllers/aggregate-roles.ts";
import { ensureObject, isEqualJson } from "../json/json.ts";
import { listAt, textAt, valueAt } from "../json/json-fields.ts";
import { installBootstrap } from "./install-bootstrap.ts";
import { openTestCluster } from "./testing/open-test-cluster.ts";

const clusterRoles = "rbac.authorization.k8s.io/clusterroles";
const clusterRoleBindings = "rbac.authorization.k8s.io/clusterrolebindings";
const address = { ip: "192.0.2.1", port: 6443 };

test("a new cluster gets what the real one is born with", async () => {
  await using cluster = await openTestCluster();
  await installBootstrap(cluster.client, { address });
  const { objects } = cluster.client;
  const names = (resource: string): readonly (string | undefined)[] =>
    objects.list(resource).map((object) => textAt(object, "metadata", "name"));
  expect(names("namespaces")).toEqual(["default", "kube-node-lease", "kube-public", "kube-system"]);
  expect(names("scheduling.k8s.io/priorityclasses")).toEqual(["system-cluster-critical", "system-node-critical"]);
  expect(names(clusterRoles)).toHaveLength(69);
  expect(names(clusterRoleBindings)).toHaveLength(50);
  expect(names("rbac.authorization.k8s.io/roles")).toHaveLength(7);
  expect(names("rbac.authorization.k8s.io/rolebindings")).toHaveLength(7);
  expect(objects.get("services", "default", "kubernetes")).toMatchObject({
    metadata: { labels: { component: "apiserver", provider: "kubernetes" } },
    spec: { clusterIP: "10.96.0.1", type: "ClusterIP", ports: [{ name: "https", port: 443, targetPort: 6443 }] },
  });
  expect(objects.get("endpoints", "default", "kubernetes")).toMatchObject({
    subsets: [{ addresses: [{ ip: "192.0.2.1" }], ports: [{ name: "https", port: 6443, protocol: "TCP" }] }],
  });
  expect(objects.get("discovery.k8s.io/endpointslices", "default", "kubernetes")).toMatchObject({
    metadata: { labels: { "kubernetes.io/service-name": "kubernetes" } },
    endpoints: [{ addresses: ["192.0.2.1"], conditions: { ready: true } }],
  });
});

test("aggregated roles have their rules from the beginning", async () => {
  await using cluster = await openTestCluster();
  await installBootstrap(cluster.client);
  const rulesOf = (name: string): readonly string[] =>
    (listAt(cluster.client.objects.get(clusterRoles, "", name) ?? {}, "rules") ?? []).map((rule) =>
      JSON.stringify(rule),
    );
  const admin = rulesOf("admin");
  for (const part of ["view", "edit", "system:aggregate-to-admin", "system:aggregate-to-edit"])
    for (const rule of rulesOf(part)) expect(admin).toContain(rule);
  expect(rulesOf("view")).toEqual(rulesOf("system:aggregate-to-view"));
});

test("aggregation finds nothing to do in a new cluster, whenever it looks", async () => {
  await using cluster = await openTestCluster();
  const { client } = cluster;
  const found: string[] = [];
  client.objects.subscribe(({ resource, object }) => {
    if (resource !== clusterRoles) return;
    const roles = client.objects.list(clusterRoles);
    const wrong = roles.filter(
      (role) => isAggregated(role) && !isEqualJson(aggregateRules(role, roles), role["rules"]),
    );
    found.push(
      ...wrong.map((role) => `${textAt(role, "metadata", "name")} after ${textAt(object, "metadata", "name")}`),
    );
  });
  await installBootstrap(client);
  expect(found).toEqual([]);
});

test("a second start writes nothing", async () => {
  await using first = await openTestCluster();
  await installBootstrap(first.client, { address });
  const { revision } = first;
  await installBootstrap(first.client, { address });
  expect(first.revision).toBe(revision);
  await using second = await openTestCluster({ store: first.store });
  await installBootstrap(second.client, { address });
  expect(second.revision).toBe(revision);
});

test("what people took away comes back and what they added stays", async () => {
  await using cluster = await openTestCluster();
  await installBootstrap(cluster.client);
  const added = { verbs: ["get"], apiGroups: ["example.com"], resources: ["widgets"] };
  await cluster.client.update({ resource: clusterRoles, namespace: "", name: "system:basic-user" }, (draft) => {
    draft["rules"] = [added];
    delete ensureObject(draft, "metadata")["labels"];
  });
  const subject = { kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "eve" };
  await cluster.client.update({ resource: clusterRoleBindings, namespace: "", name: "cluster-admin" }, (draft) => {
    draft["subjects"] = [subject];
  });
  await cluster.client.delete({ resource: clusterRoles, namespace: "", name: "system:discovery" });
  await installBootstrap(cluster.client);
  const { objects } = cluster.client;
  const role = objects.get(clusterRoles, "", "system:basic-user") ?? {};
  expect(valueAt(role, "rules")).toEqual([
    added,
    { verbs: ["create"], apiGroups: ["authorization.k8s.io"], resources: ["selfsubjectaccessreviews"] },
    { verbs: ["create"], apiGroups: ["authorization.k8s.io"], resources: ["selfsubjectrulesreviews"] },
    { verbs: ["create"], apiGroups: ["authentication.k8s.io"], resources: ["selfsubjectreviews"] },
  ]);
  expect(valueAt(role, "metadata", "labels")).toEqual({ "kubernetes.io/bootstrapping": "rbac-defaults" });
  expect(objects.get(clusterRoles, "", "system:discovery")).toBeDefined();
  const binding = objects.get(clusterRoleBindings, "", "cluster-admin") ?? {};
  expect(valueAt(binding, "subjects")).toEqual([
    subject,
    { kind: "Group", apiGroup: "rbac.authorization.k8s.io", name: "system:masters" },
  ]);
});

test("a role that people protect is left alone", async () => {
  await using cluster = await openTestCluster();
  await installBootstrap(cluster.client);
  const ref = { resource: clusterRoles, namespace: "", name: "system:basic-user" };
  await cluster.client.update(ref, (draft) => {
    draft["rules"] = [];
    ensureObject(ensureObject(draft, "metadata"), "annotations")["rbac.authorization.kubernetes.io/autoupdate"] =
      "false";
  });
  const { revision } = cluster;
  await installBootstrap(cluster.client);
  expect(cluster.revision).toBe(revision);
});

test("a binding to another role is created again", async () => {
  await using cluster = await openTestCluster();
  await cluster.client.create(clusterRoleBindings, {
    metadata: { name: "system:discovery" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "other" },
  });
  await installBootstrap(cluster.client);
  const binding = cluster.client.objects.get(clusterRoleBindings, "", "system:discovery") ?? {};
  expect(textAt(binding, "roleRef", "name")).toBe("system:discovery");
});

test("the Service follows the server to another port", async () => {
  await using cluster = await openTestCluster();
  await installBootstrap(cluster.client, { address });
  await installBootstrap(cluster.client, { address: { ip: "192.0.2.7", port: 7443 } });
  const { objects } = cluster.client;
  expect(objects.get("services", "default", "kubernetes")).toMatchObject({ spec: { ports: [{ targetPort: 7443 }] } });
  expect(objects.get("discovery.k8s.io/endpointslices", "default", "kubernetes")).toMatchObject({
    endpoints: [{ addresses: ["192.0.2.7"] }],
    ports: [{ port: 7443 }],
  });
});

test("no endpoint leads to a loopback address", async () => {
  await using cluster = await openTestCluster();
  await installBootstrap(cluster.client, { address: { ip: "127.0.0.1", port: 6443 } });
  expect(cluster.client.objects.get("services", "default", "kubernetes")).toBeDefined();
  expect(cluster.client.objects.list("endpoints")).toEqual([]);
  expect(cluster.client.objects.list("discovery.k8s.io/endpointslices")).toEqual([]);
});
