// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { createAuthorizer, createClusterAuthorizer } from "./authorizer-chain.ts";
import { explain, explainVisible } from "./explain.ts";
import { createPolicy } from "./policy.ts";
import { createRule } from "./rbac-types.ts";
import { clusterRole, clusterRoleBinding, readPods, request, roleBinding, urlRequest } from "./testing/rbac-objects.ts";
import { requestsFor, visibilityVerbs } from "./visibility-requests.ts";

const alice = { user: "alice", groups: ["dev"] };
const policy = createPolicy({
  clusterRoles: [clusterRole("reader", readPods)],
  roleBindings: [roleBinding("shop", "devs", "ClusterRole/reader", "Group:dev")],
});
const authorizer = createClusterAuthorizer(policy);

describe("[RB45] an allow", () => {
  test("names binding, role, subject and rule", () => {
    const { sentence, missing } = explain(authorizer, alice, request("list", "pods", { namespace: "shop" }));
    expect(sentence).toBe(
      'Allowed by RoleBinding "devs/shop" of ClusterRole "reader" to Group "dev", ' +
        'whose rule {APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]} covers it.',
    );
    expect(missing).toBeUndefined();
  });

  test("by system:masters says that RBAC was not asked", () => {
    const { sentence } = explain(authorizer, { user: "root", groups: ["system:masters"] }, request("list", "pods"));
    expect(sentence).toContain("before RBAC");
  });
});

describe("[RB46] a refusal", () => {
  test("of a named subresource in a namespace asks for a RoleBinding there", () => {
    const asked = request("get", "pods/log", { namespace: "shop", name: "web" });
    const { sentence, missing } = explain(authorizer, alice, asked);
    expect(missing).toEqual({
      bindingKind: "RoleBinding",
      namespace: "shop",
      rule: createRule({ verbs: ["get"], apiGroups: [""], resources: ["pods/log"], resourceNames: ["web"] }),
    });
    expect(sentence).toBe(
      'User "alice" cannot get resource "pods/log" in API group "" in the namespace "shop": ' +
        "no rule that applies to this user and its groups allows it; " +
        'a RoleBinding in the namespace "shop" to a role with the rule ' +
        '{APIGroups:[""], Resources:["pods/log"], ResourceNames:["web"], Verbs:["get"]} would.',
    );
  });

  test("at cluster scope, and of a path, asks for a ClusterRoleBinding", () => {
    expect(explain(authorizer, alice, request("list", "nodes")).missing?.bindingKind).toBe("ClusterRoleBinding");
    const { sentence, missing } = explain(authorizer, alice, urlRequest("get", "/metrics"));
    expect(missing).toMatchObject({ bindingKind: "ClusterRoleBinding", rule: { nonResourceURLs: ["/metrics"] } });
    expect(sentence).toContain('User "alice" cannot get path "/metrics"');
  });

  test("of a method that has no verb asks for all verbs, the only thing that covers it", () => {
    expect(explain(authorizer, alice, request("", "pods")).missing?.rule.verbs).toEqual(["*"]);
  });

  test("says which roles were not found", () => {
    const dangling = createPolicy({
      clusterRoleBindings: [clusterRoleBinding("b", "ClusterRole/gone", "User:alice")],
    });
    const { sentence } = explain(createClusterAuthorizer(dangling), alice, request("list", "pods"));
    expect(sentence).toContain('(not found: clusterrole.rbac.authorization.k8s.io "gone" not found)');
  });

  test("by a step that denies gives that step's reason and promises no remedy", () => {
    const denying = createAuthorizer([() => ({ decision: "deny", reason: "frozen", errors: [] })]);
    const { sentence } = explain(denying, alice, request("list", "pods"));
    expect(sentence).toBe(
      'User "alice" cannot list resource "pods" in API group "" at the cluster scope: an authorizer denied it (frozen).',
    );
  });
});

describe("[RB55] why an object is visible or not", () => {
  const scope = { apiGroups: [""], resource: "pods", verbs: visibilityVerbs.default };

  test("the binding that shows it", () => {
    const requests = requestsFor(scope, { namespace: "shop", name: "web" });
    expect(explainVisible(authorizer, alice, requests).verdict.via?.binding.name).toBe("devs");
  });

  test("the least that would show it: to get it by its name", () => {
    const requests = requestsFor(scope, { namespace: "bank", name: "web" });
    expect(explainVisible(authorizer, alice, requests).missing).toMatchObject({
      bindingKind: "RoleBinding",
      namespace: "bank",
      rule: { verbs: ["get"], resourceNames: ["web"] },
    });
  });
});
