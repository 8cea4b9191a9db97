// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { DrivenController } from "../bootstrap/testing/driven-controller.ts";
import { openTestCluster, type TestCluster } from "../bootstrap/testing/open-test-cluster.ts";
import { type DraftObject } from "../json/json.ts";
import { valueAt } from "../json/json-fields.ts";
import { aggregateRules, createRoleAggregator } from "./aggregate-roles.ts";

const resource = "rbac.authorization.k8s.io/clusterroles";

function rule(verb: string, what: string): DraftObject {
  return { verbs: [verb], apiGroups: [""], resources: [what] };
}

function role(name: string, labels: DraftObject, more: DraftObject): DraftObject {
  return { metadata: { name, labels }, ...more };
}

function selecting(label: string): DraftObject {
  return { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [label]: "true" } }] } };
}

function rulesOf({ client }: TestCluster, name: string): unknown {
  return valueAt(client.objects.get(resource, "", name) ?? {}, "rules");
}

test("rules come by selector, then by name, each once, and never from the role itself", () => {
  const whole = role("whole", { x: "true" }, { ...selecting("x"), rules: [rule("own", "own")] });
  (whole["aggregationRule"] as DraftObject)["clusterRoleSelectors"] = [
    { matchLabels: { y: "true" } },
    { matchExpressions: [{ key: "x", operator: "Exists" }] },
  ];
  const roles = [
    role("a", { x: "true" }, { rules: [rule("get", "a"), { ...rule("get", "b"), resourceNames: [] }] }),
    role("b", { x: "true", y: "true" }, { rules: [rule("get", "b")] }),
    role("c", {}, { rules: [rule("get", "c")] }),
    whole,
  ];
  expect(aggregateRules(whole, roles)).toEqual([rule("get", "b"), rule("get", "a")]);
});

test("an aggregated role follows the roles it selects, through other aggregated roles too", async () => {
  await using cluster = await openTestCluster();
  const { client } = cluster;
  const controller = new DrivenController(client, createRoleAggregator(client));
  await client.create(resource, role("top", {}, selecting("to-top")));
  await client.create(resource, role("middle", { "to-top": "true" }, selecting("to-middle")));
  await client.create(resource, role("part", { "to-middle": "true" }, { rules: [rule("get", "pods")] }));
  await controller.settle();
  expect(rulesOf(cluster, "middle")).toEqual([rule("get", "pods")]);
  expect(rulesOf(cluster, "top")).toEqual([rule("get", "pods")]);
  await client.update({ resource, namespace: "", name: "top" }, (draft) => {
    draft["rules"] = [rule("delete", "nodes")];
  });
  await controller.settle();
  expect(rulesOf(cluster, "top")).toEqual([rule("get", "pods")]);
  await client.delete({ resource, namespace: "", name: "part" });
  await controller.settle();
  expect(rulesOf(cluster, "top")).toEqual([]);
  const { revision } = cluster;
  const again = new DrivenController(client, createRoleAggregator(client));
  await again.settle();
  expect(cluster.revision).toBe(revision);
});
