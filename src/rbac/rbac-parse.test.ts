// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { authorize } from "./authorize.ts";
import { createPolicy } from "./policy.ts";
import { parseClusterRole, parseClusterRoleBinding, parseRole, parseRoleBinding } from "./rbac-parse.ts";
import { createRule } from "./rbac-types.ts";
import { clusterRole, clusterRoleBinding, readPods, request } from "./testing/rbac-objects.ts";
import { thrownCode } from "./testing/thrown-code.ts";

describe("[RB41] what a cluster holds", () => {
  test("a Role, with fields that no decision needs", () => {
    const object = {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "Role",
      metadata: { name: "reader", namespace: "shop", labels: { a: "b" } },
      rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"], resourceNames: null, future: 1 }],
    };
    const rules = [createRule({ apiGroups: [""], resources: ["pods"], verbs: ["get"] })];
    expect(parseRole(object)).toEqual({ kind: "Role", namespace: "shop", name: "reader", rules });
  });

  test.each([{}, { rules: null }, { rules: [] }])("a ClusterRole with %o has no rules", (rest) => {
    expect(parseClusterRole({ metadata: { name: "r" }, ...rest })).toEqual(clusterRole("r"));
  });

  test("bindings with absent subjects, absent text and an absent group of the role", () => {
    const roleRef = { kind: "ClusterRole", name: "r" };
    expect(parseClusterRoleBinding({ metadata: { name: "b" }, roleRef })).toEqual(
      clusterRoleBinding("b", "ClusterRole/r"),
    );
    const subjects = [{ kind: "User", name: "alice", apiGroup: "rbac.authorization.k8s.io" }, {}];
    const binding = parseRoleBinding({ metadata: { name: "b", namespace: "shop" }, subjects });
    expect(binding.roleRef).toEqual({ apiGroup: "rbac.authorization.k8s.io", kind: "", name: "" });
    expect(binding.subjects).toEqual([
      { kind: "User", name: "alice", namespace: "" },
      { kind: "", name: "", namespace: "" },
    ]);
  });
});

describe("[RB41] what cannot be such an object", () => {
  test.each([
    ["the object must be an object", null],
    ["the object must be an object", [{}]],
    ["metadata must be an object", {}],
    ["metadata.namespace must be a non-empty string", { metadata: { name: "r" } }],
    ["metadata.name must be a non-empty string", { metadata: { namespace: "shop", name: "" } }],
    ["metadata.name must be a string", { metadata: { namespace: "shop", name: 7 } }],
    ["rules must be a list", { metadata: { namespace: "shop", name: "r" }, rules: {} }],
    ["rules[1] must be an object", { metadata: { namespace: "shop", name: "r" }, rules: [{}, "get"] }],
    ["rules[0].verbs must be a list", { metadata: { namespace: "shop", name: "r" }, rules: [{ verbs: "get" }] }],
    [
      "rules[0].verbs[1] must be a string",
      { metadata: { namespace: "shop", name: "r" }, rules: [{ verbs: ["get", null] }] },
    ],
  ])("%s", (sentence, value) => {
    expect(thrownCode(() => parseRole(value))).toBe("MALFORMED");
    expect(() => parseRole(value)).toThrow(`Role: ${sentence}`);
  });

  test("any JSON gives an object or a failure of ours, whichever kind it is read as", () => {
    const anyField = fc.oneof(fc.jsonValue(), fc.constant({ name: "a", namespace: "b" }));
    const anyObject = fc.record({ metadata: anyField, rules: anyField, subjects: anyField, roleRef: anyField });
    fc.assert(
      fc.property(anyObject, (value) => {
        for (const parse of [parseRole, parseClusterRole, parseRoleBinding, parseClusterRoleBinding]) {
          expect(["MALFORMED", undefined]).toContain(thrownCode(() => expect(parse(value).name).toBe("a")));
        }
      }),
    );
  });
});

describe("[RB42] size", () => {
  const roleOf = (verbs: readonly string[]) => ({ metadata: { name: "r" }, rules: [{ verbs }] });

  /** One element takes 64 bytes of JSON: 61 of text, two quotes and a comma. */
  const elements = (count: number): readonly string[] => Array.from({ length: count }, () => "x".repeat(61));
  const fittingCount = 49_150;

  test("an object that only just fits a body of 3 MiB is read", () => {
    const largest = roleOf(elements(fittingCount));
    expect(3 * 1024 * 1024 - JSON.stringify(largest).length).toSatisfy((spare: number) => spare >= 0 && spare < 128);
    expect(parseClusterRole(largest).rules[0]?.verbs).toHaveLength(fittingCount);
  });

  test("a binding of empty subjects that fits is read, though each has three absent texts", () => {
    const subjects = Array.from({ length: 300_000 }, () => ({}));
    expect(parseClusterRoleBinding({ metadata: { name: "b" }, subjects }).subjects).toHaveLength(300_000);
  });

  test("more than fits there is refused, what stands around each text included", () => {
    expect(thrownCode(() => parseClusterRole(roleOf(["x".repeat(3 * 1024 * 1024)])))).toBe("TOO_LARGE");
    expect(thrownCode(() => parseClusterRole(roleOf(elements(fittingCount + 10))))).toBe("TOO_LARGE");
  });
});

test("[RB24] an aggregated ClusterRole grants its stored rules only, whatever its selectors match", () => {
  const labels = { aggregate: "yes" };
  const source = { metadata: { name: "source", labels }, rules: [readPods] };
  const aggregationRule = { clusterRoleSelectors: [{ matchLabels: labels }] };
  const policy = createPolicy({
    clusterRoles: [parseClusterRole(source), parseClusterRole({ metadata: { name: "sum" }, aggregationRule })],
    clusterRoleBindings: [clusterRoleBinding("b", "ClusterRole/sum", "User:alice")],
  });
  const alice = { user: "alice", groups: [] };
  expect(authorize(policy, alice, request("list", "pods")).decision).toBe("noOpinion");
  policy.upsert(parseClusterRole({ metadata: { name: "sum" }, aggregationRule, rules: [readPods] }));
  expect(authorize(policy, alice, request("list", "pods")).decision).toBe("allow");
});
