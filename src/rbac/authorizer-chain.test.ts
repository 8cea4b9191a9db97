// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { type Authorizer, createAuthorizer, createClusterAuthorizer, systemMasters } from "./authorizer-chain.ts";
import { createPolicy, Policy } from "./policy.ts";
import { clusterRole, clusterRoleBinding, readPods, request } from "./testing/rbac-objects.ts";

const alice = { user: "alice", groups: [] };
const listPods = request("list", "pods");

const step =
  (decision: "allow" | "deny" | "noOpinion", reason = ""): Authorizer =>
  () => ({ decision, reason, errors: [] });
const allow = step("allow");
const deny = step("deny");
const pass = step("noOpinion");
const thrower: Authorizer = () => {
  throw new Error("backend away");
};

describe("order of a chain", () => {
  test.each([
    ["[RB1] the first opinion counts: allow", [pass, allow, deny], "allow"],
    ["[RB1] the first opinion counts: deny", [pass, deny, allow], "deny"],
    ["[RB1] nobody has an opinion", [pass, pass], "noOpinion"],
    ["[RB1] an empty chain", [], "noOpinion"],
    ["[RB6] a step that throws denies though a later one would allow", [thrower, allow], "deny"],
    ["[RB6] a step that would throw is not reached after an allow", [allow, thrower], "allow"],
  ] as const)("%s", (_rule, steps, decision) => {
    expect(createAuthorizer(steps)(alice, listPods).decision).toBe(decision);
  });

  test("[RB1] reasons of those without an opinion are kept together", () => {
    const chain = createAuthorizer([step("noOpinion", "first"), pass, step("noOpinion", "second")]);
    expect(chain(alice, listPods).reason).toBe("first\nsecond");
  });

  test("[RB6] what was thrown is kept for the log and not shown", () => {
    const verdict = createAuthorizer([thrower])(alice, listPods);
    expect(verdict.reason).toBe("the check failed");
    expect(verdict.errors).toEqual([{ message: "an authorizer threw", cause: new Error("backend away") }]);
  });
});

describe("[RB2] system:masters", () => {
  test("may do everything without any binding, before a step that denies", () => {
    const master = { user: "root", groups: ["system:authenticated", "system:masters"] };
    expect(createClusterAuthorizer(new Policy())(master, listPods).decision).toBe("allow");
    expect(createAuthorizer([systemMasters, deny])(master, listPods).decision).toBe("allow");
  });

  test("is a group, not a user name", () => {
    expect(createClusterAuthorizer(new Policy())({ user: "system:masters", groups: [] }, listPods).decision).toBe(
      "noOpinion",
    );
  });
});

test("[RB4] another authorizer can deny what RBAC allows and allow what RBAC does not", () => {
  const policy = createPolicy({
    clusterRoles: [clusterRole("reader", readPods)],
    clusterRoleBindings: [clusterRoleBinding("b", "ClusterRole/reader", "User:alice")],
  });
  const rbac = createClusterAuthorizer(policy);
  const deletePods = request("delete", "pods", { name: "web" });
  expect(rbac(alice, listPods).decision).toBe("allow");
  expect(createAuthorizer([deny, rbac])(alice, listPods).decision).toBe("deny");
  expect(createAuthorizer([rbac, allow])(alice, deletePods).decision).toBe("allow");
});

test("[RB6] an object that breaks the evaluator denies instead of throwing", () => {
  const policy = new Policy();
  const binding = clusterRoleBinding("b", "ClusterRole/reader", "User:alice");
  policy.upsert(
    Object.defineProperty(binding, "roleRef", {
      get: () => {
        throw new Error("broken object");
      },
    }),
  );
  expect(createClusterAuthorizer(policy)(alice, listPods).decision).toBe("deny");
});
