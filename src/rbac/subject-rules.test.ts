// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { compactRules } from "./compact-rules.ts";
import { createPolicy } from "./policy.ts";
import { createRule } from "./rbac-types.ts";
import { reviewRules } from "./subject-rules.ts";
import { clusterRole, clusterRoleBinding, readPods, role, roleBinding } from "./testing/rbac-objects.ts";

const alice = { user: "alice", groups: ["dev"] };
const readUrls = { verbs: ["get"], nonResourceURLs: ["/metrics"] };
const named = { ...readPods, resourceNames: ["web"] };

const policy = createPolicy({
  roles: [role("shop", "reader", readPods, named), role("bank", "reader", readPods)],
  clusterRoles: [clusterRole("mixed", { ...readPods, ...readUrls, verbs: ["watch"] }), clusterRole("urls", readUrls)],
  roleBindings: [
    roleBinding("shop", "a", "Role/reader", "Group:dev"),
    roleBinding("bank", "a", "Role/reader", "Group:dev"),
  ],
  clusterRoleBindings: [
    clusterRoleBinding("z", "ClusterRole/urls", "User:alice"),
    clusterRoleBinding("y", "ClusterRole/gone", "User:alice"),
    clusterRoleBinding("x", "ClusterRole/mixed", "User:alice"),
  ],
});

test("[RB47] rules are listed in the order they are tried, cluster-wide ones first, each half on its own list", () => {
  const review = reviewRules(policy, alice, "shop");
  const inShop = (verbs: readonly string[], resourceNames: readonly string[] = []) => {
    return { verbs, apiGroups: [""], resources: ["pods"], resourceNames };
  };
  expect(review.resourceRules).toEqual([inShop(["watch"]), inShop(["get", "list"]), inShop(["get", "list"], ["web"])]);
  expect(review.nonResourceRules).toEqual([
    { verbs: ["watch"], nonResourceURLs: ["/metrics"] },
    { verbs: ["get"], nonResourceURLs: ["/metrics"] },
  ]);
});

test("[RB47] without a namespace the cluster-wide rules are listed, once", () => {
  const review = reviewRules(policy, alice, "");
  expect(review.resourceRules.map((rule) => rule.verbs)).toEqual([["watch"]]);
  expect(review.nonResourceRules).toHaveLength(2);
});

test("[RB47] system:masters adds nothing to a review", () => {
  const review = reviewRules(policy, { user: "root", groups: ["system:masters"] }, "shop");
  expect(review).toEqual({ resourceRules: [], nonResourceRules: [], incomplete: false, evaluationError: "" });
});

test("[RB48] a role that is not found is told, and the rest is listed", () => {
  const review = reviewRules(policy, alice, "shop");
  expect(review.incomplete).toBe(false);
  expect(review.evaluationError).toBe('clusterrole.rbac.authorization.k8s.io "gone" not found');
  expect(review.resourceRules).toHaveLength(3);
});

test("[RB48] rules of any number are listed", () => {
  const rule = createRule(readPods);
  const many = { ...clusterRole("many"), rules: Array.from({ length: 200_000 }, () => rule) };
  const binding = clusterRoleBinding("b", "ClusterRole/many", "User:alice");
  const large = createPolicy({ clusterRoles: [many], clusterRoleBindings: [binding] });
  expect(reviewRules(large, alice, "shop").resourceRules).toHaveLength(200_000);
});

test("[RB49] compaction joins what differs in verbs alone", () => {
  const pods = (verbs: readonly string[]) => createRule({ verbs, apiGroups: [""], resources: ["pods"] });
  const deployments = createRule({ verbs: ["get"], apiGroups: ["apps"], resources: ["deployments"] });
  const wide = createRule({ verbs: ["get"], apiGroups: ["", "apps"], resources: ["pods"] });
  const only = (verb: string, ...resourceNames: readonly string[]) => ({ ...pods([verb]), resourceNames });
  const rules = [
    pods(["get"]),
    wide,
    only("get", "web"),
    only("get", "db"),
    only("get", "web", "db"),
    deployments,
    pods(["list", "watch"]),
    only("list", "web"),
    only("list", "web", "db"),
  ];
  expect(compactRules(rules)).toEqual([
    pods(["get", "list", "watch"]),
    wide,
    { ...pods(["get", "list"]), resourceNames: ["web"] },
    only("get", "db"),
    only("get", "web", "db"),
    deployments,
    only("list", "web", "db"),
  ]);
});
