// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { authorize } from "./authorize.ts";
import { createPolicy } from "./policy.ts";
import {
  clusterRole,
  clusterRoleBinding,
  readPods,
  request,
  role,
  roleBinding,
  urlRequest,
} from "./testing/rbac-objects.ts";

const alice = { user: "alice", groups: ["dev"] };
const listPods = (namespace = ""): ReturnType<typeof request> => request("list", "pods", { namespace });

describe("scope of bindings", () => {
  const policy = createPolicy({
    roles: [role("shop", "reader", readPods)],
    clusterRoles: [clusterRole("reader", readPods, { verbs: ["get"], nonResourceURLs: ["/metrics"] })],
    clusterRoleBindings: [clusterRoleBinding("everywhere", "ClusterRole/reader", "User:root")],
    roleBindings: [
      roleBinding("shop", "by-role", "Role/reader", "User:bob"),
      roleBinding("shop", "by-cluster-role", "ClusterRole/reader", "User:carol"),
      roleBinding("bank", "elsewhere", "Role/reader", "User:dave"),
    ],
  });
  const decide = (user: string, attributes: Parameters<typeof authorize>[2]): string =>
    authorize(policy, { user, groups: [] }, attributes).decision;

  test.each([
    ["[RB15] a ClusterRoleBinding counts in any namespace", "root", listPods("shop"), "allow"],
    ["[RB15] a ClusterRoleBinding counts at cluster scope", "root", listPods(), "allow"],
    ["[RB16] a RoleBinding counts in its namespace", "bob", listPods("shop"), "allow"],
    ["[RB16] a RoleBinding counts in no other namespace", "bob", listPods("bank"), "noOpinion"],
    ["[RB17] a RoleBinding to a ClusterRole counts in its namespace", "carol", listPods("shop"), "allow"],
    ["[RB17] a RoleBinding to a ClusterRole counts there only", "carol", listPods("bank"), "noOpinion"],
    ["[RB17] a Role of another namespace is not found", "dave", listPods("bank"), "noOpinion"],
    ["[RB22] without a namespace RoleBindings do not count", "bob", listPods(), "noOpinion"],
    ["[RB22] nor do those to ClusterRoles", "carol", listPods(), "noOpinion"],
    ["[RB31] URLs are granted by ClusterRoleBindings", "root", urlRequest("get", "/metrics"), "allow"],
    ["[RB31] URLs are not granted by RoleBindings", "carol", urlRequest("get", "/metrics"), "noOpinion"],
  ] as const)("%s", (_rule, user, attributes, decision) => {
    expect(decide(user, attributes)).toBe(decision);
  });

  test("[RB3] RBAC never denies: what nobody granted has no opinion and no reason", () => {
    expect(authorize(policy, alice, listPods("shop"))).toEqual({ decision: "noOpinion", reason: "", errors: [] });
  });
});

describe("roles that are not there", () => {
  const dangling = [
    clusterRoleBinding("b", "ClusterRole/missing", "User:alice"),
    clusterRoleBinding("c", "Role/reader", "User:alice"),
    clusterRoleBinding("d", "Group/reader", "User:alice"),
  ];
  const roles = [role("shop", "reader", readPods)];

  test("[RB18] [RB19] each records its error, in kube-apiserver's words", () => {
    const verdict = authorize(createPolicy({ roles, clusterRoleBindings: dangling }), alice, listPods("shop"));
    expect(verdict.decision).toBe("noOpinion");
    const texts = [
      'clusterrole.rbac.authorization.k8s.io "missing" not found',
      'role.rbac.authorization.k8s.io "reader" not found',
      'unsupported role reference kind: "Group"',
    ];
    expect(verdict.errors.map((error) => error.message)).toEqual(texts);
    expect(verdict.errors.map((error) => error.binding?.name)).toEqual(["b", "c", "d"]);
    expect(verdict.reason).toBe(`RBAC: [${texts.join(", ")}]`);
  });

  test("[RB18] not even a Role without a namespace is found by a ClusterRoleBinding", () => {
    const misplaced = { roles: [role("", "reader", readPods)], clusterRoleBindings: dangling };
    expect(authorize(createPolicy(misplaced), alice, listPods()).decision).toBe("noOpinion");
  });

  test("[RB19] one error alone, however often, is told without brackets", () => {
    const twice = ["a", "b"].map((name) => clusterRoleBinding(name, "ClusterRole/missing", "User:alice"));
    expect(authorize(createPolicy({ clusterRoleBindings: twice }), alice, listPods()).reason).toBe(
      'RBAC: clusterrole.rbac.authorization.k8s.io "missing" not found',
    );
  });

  test("[RB19] errors before it do not stop a later rule from allowing", () => {
    const roleBindings = [roleBinding("shop", "z", "Role/reader", "User:alice")];
    const policy = createPolicy({ roles, clusterRoleBindings: dangling, roleBindings });
    expect(authorize(policy, alice, listPods("shop"))).toMatchObject({ decision: "allow", errors: [] });
  });

  test("[RB25] a role without rules grants nothing and is no error", () => {
    const policy = createPolicy({
      clusterRoles: [clusterRole("empty")],
      clusterRoleBindings: [clusterRoleBinding("b", "ClusterRole/empty", "User:alice")],
    });
    expect(authorize(policy, alice, listPods())).toEqual({ decision: "noOpinion", reason: "", errors: [] });
  });
});

test("[RB20] the API group of a roleRef plays no part", () => {
  const binding = clusterRoleBinding("b", "ClusterRole/reader", "User:alice");
  const foreign = { ...binding, roleRef: { ...binding.roleRef, apiGroup: "example.com" } };
  const policy = createPolicy({ clusterRoles: [clusterRole("reader", readPods)], clusterRoleBindings: [foreign] });
  expect(authorize(policy, alice, listPods()).decision).toBe("allow");
});

describe("[RB23] what is reported", () => {
  const clusterRoles = [clusterRole("reader", readPods)];
  const inShop = (name: string, ...subjects: readonly string[]): ReturnType<typeof roleBinding> =>
    roleBinding("shop", name, "ClusterRole/reader", ...subjects);

  test("a ClusterRoleBinding before any RoleBinding", () => {
    const policy = createPolicy({
      clusterRoles,
      roleBindings: [inShop("a", "User:alice")],
      clusterRoleBindings: [clusterRoleBinding("z", "ClusterRole/reader", "Group:dev")],
    });
    const { reason, via } = authorize(policy, alice, listPods("shop"));
    expect(reason).toBe('RBAC: allowed by ClusterRoleBinding "z" of ClusterRole "reader" to Group "dev"');
    expect(via?.role).toEqual({ apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "reader" });
    expect(via?.rule.resources).toEqual(["pods"]);
  });

  test("by name among RoleBindings, whether the user or a group is named", () => {
    const policy = createPolicy({
      clusterRoles,
      roleBindings: [inShop("c", "User:alice"), inShop("b", "Group:dev"), inShop("d", "User:alice", "Group:dev")],
    });
    const reasons = ["c", "b", "d"].map(() => {
      const { reason, via } = authorize(policy, alice, listPods("shop"));
      if (via !== undefined) policy.delete(via.binding);
      return reason;
    });
    expect(reasons).toEqual([
      'RBAC: allowed by RoleBinding "b/shop" of ClusterRole "reader" to Group "dev"',
      'RBAC: allowed by RoleBinding "c/shop" of ClusterRole "reader" to User "alice"',
      'RBAC: allowed by RoleBinding "d/shop" of ClusterRole "reader" to User "alice"',
    ]);
  });

  test("a service account with the namespace it got from the binding", () => {
    const policy = createPolicy({ clusterRoles, roleBindings: [inShop("b", "ServiceAccount:robot")] });
    const robot = { user: "system:serviceaccount:shop:robot", groups: [] };
    expect(authorize(policy, robot, listPods("shop")).reason).toBe(
      'RBAC: allowed by RoleBinding "b/shop" of ClusterRole "reader" to ServiceAccount "robot/shop"',
    );
  });
});
