// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { authorize } from "./authorize.ts";
import { createPolicy, Policy } from "./policy.ts";
import type { RbacObject } from "./rbac-types.ts";
import { clusterRole, clusterRoleBinding, readPods, request, role, roleBinding } from "./testing/rbac-objects.ts";

const alice = { user: "alice", groups: ["dev"] };
const listPods = request("list", "pods", { namespace: "shop" });

const decide = (policy: Policy): string => authorize(policy, alice, listPods).decision;

function policyOf(...objects: readonly RbacObject[]): Policy {
  const policy = new Policy();
  for (const object of objects) policy.upsert(object);
  return policy;
}

describe("[RB43] changes take effect at once", () => {
  const reader = role("shop", "reader", readPods);
  const binding = roleBinding("shop", "b", "Role/reader", "Group:dev");

  test("a role that comes after its binding", () => {
    const policy = policyOf(binding);
    expect(decide(policy)).toBe("noOpinion");
    policy.upsert(reader);
    expect(decide(policy)).toBe("allow");
  });

  test("a deleted role, a deleted binding", () => {
    const policy = policyOf(reader, binding);
    policy.delete({ kind: "Role", namespace: "shop", name: "reader" });
    expect(decide(policy)).toBe("noOpinion");
    policy.upsert(reader);
    policy.delete({ kind: "RoleBinding", namespace: "shop", name: "b" });
    expect(decide(policy)).toBe("noOpinion");
    expect(policy.bindingCount).toBe(0);
    expect([...policy.bindingsFor(alice)]).toEqual([]);
  });

  test("[RB25] a role whose rules were emptied", () => {
    const policy = policyOf(reader, binding);
    policy.upsert(role("shop", "reader"));
    expect(decide(policy)).toBe("noOpinion");
  });

  test("a subject taken out of a binding", () => {
    const policy = policyOf(reader, roleBinding("shop", "b", "Role/reader", "Group:dev", "User:bob"));
    policy.upsert(roleBinding("shop", "b", "Role/reader", "User:bob"));
    expect(decide(policy)).toBe("noOpinion");
    expect(authorize(policy, { user: "bob", groups: [] }, listPods).decision).toBe("allow");
  });

  test("one binding of several is enough to keep a right", () => {
    const policy = policyOf(reader, binding, roleBinding("shop", "b2", "Role/reader", "User:alice"));
    policy.delete(binding);
    expect(decide(policy)).toBe("allow");
  });

  test("deleting what is not there changes nothing", () => {
    const policy = policyOf(reader, binding);
    policy.delete({ kind: "RoleBinding", namespace: "bank", name: "b" });
    policy.delete({ kind: "ClusterRoleBinding", namespace: "", name: "b" });
    policy.delete({ kind: "ClusterRole", namespace: "", name: "reader" });
    policy.delete({ kind: "Role", namespace: "bank", name: "reader" });
    expect(decide(policy)).toBe("allow");
  });

  test("names that hold separators of keys stay apart", () => {
    const policy = policyOf(
      role("a", "b/c:d", readPods),
      roleBinding("a", "x/y", "ClusterRole/none", "Group:dev"),
      roleBinding("a/x", "y", "ClusterRole/none", "Group:dev"),
    );
    expect(policy.bindingCount).toBe(2);
  });
});

test("[RB21] a binding with another roleRef replaces the stored one as a whole", () => {
  const policy = createPolicy({
    clusterRoles: [clusterRole("reader", readPods), clusterRole("writer", { ...readPods, verbs: ["create"] })],
    clusterRoleBindings: [clusterRoleBinding("b", "ClusterRole/reader", "Group:dev")],
  });
  expect(decide(policy)).toBe("allow");
  policy.upsert(clusterRoleBinding("b", "ClusterRole/writer", "Group:dev"));
  expect(decide(policy)).toBe("noOpinion");
  expect(policy.bindingCount).toBe(1);
});

test("[RB44] a decision never touches the bindings of others", () => {
  const foreign = (namespace: string, at: number): RbacObject =>
    Object.defineProperty(
      roleBinding(namespace, `b${at}`, "ClusterRole/reader", `User:user-${at}`, `Group:team-${at}`),
      "roleRef",
      {
        get: () => {
          throw new Error("looked at the binding of somebody else");
        },
      },
    );
  const policy = policyOf(clusterRole("reader", readPods));
  for (let at = 0; at < 5_000; at += 1) policy.upsert(foreign(at % 2 === 0 ? "shop" : "bank", at));
  expect(decide(policy)).toBe("noOpinion");
  policy.upsert(roleBinding("shop", "own", "ClusterRole/reader", "User:alice"));
  expect(decide(policy)).toBe("allow");
  expect(() => authorize(policy, { user: "user-2", groups: [] }, listPods)).toThrow("somebody else");
});

test("[RB23] a binding that names user and group is walked once", () => {
  const both = roleBinding("shop", "b", "Role/missing", "User:alice", "Group:dev", "Group:ops");
  const user = { user: "alice", groups: ["dev", "ops", "dev"] };
  expect([...policyOf(both).rulesFor(user, "shop")]).toHaveLength(1);
});
