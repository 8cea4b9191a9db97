// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { createClusterAuthorizer } from "./authorizer-chain.ts";
import { checkBindingWrite, checkRoleWrite, type GrantCheckContext } from "./grant-check.ts";
import { createPolicy, type PolicyLists } from "./policy.ts";
import { type PolicyRule, rbacApiGroup } from "./rbac-types.ts";
import { clusterRole, clusterRoleBinding, readPods, role, roleBinding } from "./testing/rbac-objects.ts";

const onRoles = (verb: string, resource: string, resourceNames: readonly string[] = []): Partial<PolicyRule> => {
  return { verbs: [verb], apiGroups: [rbacApiGroup], resources: [resource], resourceNames };
};
const everything = { verbs: ["*"], apiGroups: ["*"], resources: ["*"] };
const everyUrl = { verbs: ["*"], nonResourceURLs: ["*"] };

function contextOf(lists: PolicyLists, groups: readonly string[] = ["dev"]): GrantCheckContext {
  const policy = createPolicy(lists);
  return { policy, authorizer: createClusterAuthorizer(policy), user: { user: "alice", groups } };
}

/** Alice holds these rules in the namespace shop. */
function inShop(...rules: readonly Partial<PolicyRule>[]): GrantCheckContext {
  return contextOf({
    roles: [role("shop", "held", ...rules), role("shop", "wanted", readPods)],
    roleBindings: [roleBinding("shop", "b", "Role/held", "User:alice")],
    clusterRoles: [clusterRole("wanted", readPods)],
  });
}

/** Alice holds these rules everywhere. */
function everywhere(...rules: readonly Partial<PolicyRule>[]): GrantCheckContext {
  return contextOf({
    clusterRoles: [clusterRole("held", ...rules), clusterRole("wanted", readPods)],
    clusterRoleBindings: [clusterRoleBinding("b", "ClusterRole/held", "User:alice")],
  });
}

describe("[RB52] writing a role", () => {
  const wanted = role("shop", "wanted", readPods);
  const write = { role: wanted, requestName: "", isAggregated: false };
  const named = { ...write, requestName: "wanted" };
  const clusterWrite = { ...write, role: clusterRole("wanted", readPods) };

  test.each([
    ["all of its rules are held", inShop(readPods), write, "allowed"],
    ["more is held", inShop({ ...readPods, verbs: ["*"] }), write, "allowed"],
    ["less is held", inShop({ ...readPods, verbs: ["get"] }), write, "notHeld"],
    ["nothing is held", contextOf({}), write, "notHeld"],
    ["escalate on roles is held", inShop(onRoles("escalate", "roles")), write, "allowed"],
    ["escalate on the other kind", inShop(onRoles("escalate", "clusterroles")), write, "notHeld"],
    ["escalate on that role, when changing it", inShop(onRoles("escalate", "roles", ["wanted"])), named, "allowed"],
    ["escalate on that role, when creating it", inShop(onRoles("escalate", "roles", ["wanted"])), write, "notHeld"],
    ["the user is in system:masters", contextOf({}, ["system:masters"]), write, "allowed"],
    ["rights in one namespace, for a ClusterRole", inShop(readPods), clusterWrite, "notHeld"],
    ["rights everywhere, for a ClusterRole", everywhere(readPods), clusterWrite, "allowed"],
  ] as const)("when %s", (_what, context, asked, outcome) => {
    expect(checkRoleWrite(context, asked).outcome).toBe(outcome);
  });

  test("says what is missing, in kube-apiserver's words", () => {
    const rules = [readPods, { verbs: ["get"], nonResourceURLs: ["/metrics"] }];
    const check = checkRoleWrite(everywhere({ ...readPods, verbs: ["get"] }), {
      ...write,
      role: clusterRole("wanted", ...rules, { ...readPods, verbs: ["delete"] }),
    });
    expect(check).toEqual({
      outcome: "notHeld",
      message:
        'user "alice" (groups=["dev"]) is attempting to grant RBAC permissions not currently held:\n' +
        '{APIGroups:[""], Resources:["pods"], Verbs:["list" "delete"]}\n' +
        '{NonResourceURLs:["/metrics"], Verbs:["get"]}',
    });
  });

  test("[RB64] tells roles that were not found along with it, under the resource being written", () => {
    const context = contextOf({
      roleBindings: [roleBinding("shop", "b", "Role/gone", "User:alice")],
      clusterRoleBindings: [clusterRoleBinding("c", "ClusterRole/gone", "User:alice")],
    });
    expect(checkRoleWrite(context, write)).toMatchObject({
      message: expect.stringMatching(
        /; resolution errors: \[roles\.rbac\.authorization\.k8s\.io "gone" not found\]$/,
      ) as unknown,
    });
    expect(checkRoleWrite(context, clusterWrite)).toMatchObject({
      message: expect.stringMatching(
        /; resolution errors: \[clusterroles\.rbac\.authorization\.k8s\.io "gone" not found\]$/,
      ) as unknown,
    });
  });

  test("an aggregated ClusterRole needs all rights, even without rules of its own", () => {
    const aggregated = { role: clusterRole("sum"), requestName: "sum", isAggregated: true };
    expect(checkRoleWrite(everywhere(readPods, everyUrl), aggregated)).toEqual({
      outcome: "notHeld",
      message: "must have cluster-admin privileges to use the aggregationRule",
    });
    expect(checkRoleWrite(everywhere(everything), aggregated).outcome).toBe("allowed");
    const withRules = { ...aggregated, role: clusterRole("sum", readPods) };
    expect(checkRoleWrite(everywhere(), withRules)).toMatchObject({
      message: expect.stringContaining("not currently held") as unknown,
    });
  });
});

describe("[RB53] writing a binding", () => {
  const toRole = roleBinding("shop", "new", "Role/wanted", "User:bob");
  const toClusterRole = roleBinding("shop", "new", "ClusterRole/wanted", "User:bob");
  const clusterWide = clusterRoleBinding("new", "ClusterRole/wanted", "User:bob");

  test.each([
    ["the role's rules are held there", inShop(readPods), toRole, "allowed"],
    ["the rules of a ClusterRole are held there", inShop(readPods), toClusterRole, "allowed"],
    ["they are held in one namespace, for a cluster-wide one", inShop(readPods), clusterWide, "notHeld"],
    ["they are held everywhere", everywhere(readPods), clusterWide, "allowed"],
    ["they are not held", inShop(), toRole, "notHeld"],
    ["bind on that role is held there", inShop(onRoles("bind", "roles", ["wanted"])), toRole, "allowed"],
    ["bind on another role", inShop(onRoles("bind", "roles", ["other"])), toRole, "notHeld"],
    ["bind on the other kind", inShop(onRoles("bind", "roles")), toClusterRole, "notHeld"],
    ["bind in one namespace, for it", inShop(onRoles("bind", "clusterroles")), toClusterRole, "allowed"],
    ["bind in one namespace, for a cluster-wide one", inShop(onRoles("bind", "clusterroles")), clusterWide, "notHeld"],
    ["bind everywhere", everywhere(onRoles("bind", "clusterroles")), clusterWide, "allowed"],
    ["the role is not there", everywhere(readPods), roleBinding("shop", "new", "Role/gone"), "roleNotFound"],
    [
      "bind is held on a role that is not there",
      everywhere(onRoles("bind", "roles")),
      roleBinding("shop", "new", "Role/gone"),
      "allowed",
    ],
    ["the kind is none of a role", everywhere(everything), roleBinding("shop", "new", "Robot/r"), "roleNotFound"],
  ] as const)("when %s", (_what, context, binding, outcome) => {
    expect(checkBindingWrite(context, binding).outcome).toBe(outcome);
  });

  test.each([
    [roleBinding("shop", "new", "Role/gone"), 'rolebindings.rbac.authorization.k8s.io "gone" not found'],
    [roleBinding("shop", "new", "ClusterRole/gone"), 'rolebindings.rbac.authorization.k8s.io "gone" not found'],
    [clusterRoleBinding("new", "ClusterRole/gone"), 'clusterrolebindings.rbac.authorization.k8s.io "gone" not found'],
    [roleBinding("shop", "new", "Robot/r"), 'unsupported role reference kind: "Robot"'],
  ] as const)("[RB64] a role that is not there is named under the resource being written", (binding, message) => {
    expect(checkBindingWrite(inShop(), binding)).toEqual({ outcome: "roleNotFound", message });
  });
});

test("[RB52] a message names at most a thousand missing rules and counts the rest", () => {
  const rules = Array.from({ length: 1_500 }, (_none, at) => ({ ...readPods, resources: [`r${at}`] }));
  const check = checkRoleWrite(inShop(), { role: role("shop", "w", ...rules), requestName: "", isAggregated: false });
  expect(check).toMatchObject({ message: expect.stringMatching(/\nand 500 more$/) as unknown });
});
