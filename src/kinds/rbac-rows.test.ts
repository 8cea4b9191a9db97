// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { rbacResources } from "../model/rbac-resources.ts";
import type { ColumnValue } from "../model/rows/row.ts";
import { thrownCode } from "../rbac/testing/thrown-code.ts";
import { roleBindingKind } from "./rbac-binding-kinds.ts";
import { clusterRoleKind, roleKind } from "./rbac-role-kinds.ts";
import { type RbacRow, rbacKindOf, rbacObjectOfRow, roleBindingOfRow, roleOfRow } from "./rbac-rows.ts";
import { rowOf, sealedRowOf } from "./testing/sample-rows.ts";

const metadata = { name: "reader", namespace: "shop" };

describe("rows of RBAC's kinds", () => {
  test("[KI7] [KI8] of a ClusterRole have its rules in their order, exactly, and whose rules it gathers", () => {
    const row = rowOf(clusterRoleKind, {
      metadata: { name: "view" },
      rules: [
        { verbs: ["watch", "get"], apiGroups: [""], resources: ["pods", "pods/log"], resourceNames: [] },
        { nonResourceURLs: ["/healthz"], verbs: ["get"] },
      ],
      aggregationRule: {
        clusterRoleSelectors: [
          { matchLabels: { b: "2", a: "1" } },
          { matchExpressions: [{ key: "a", operator: "Exists" }] },
        ],
      },
    });
    expect(Object.fromEntries(row.columns)).toEqual({
      rules: [
        '{"verbs":["watch","get"],"apiGroups":[""],"resources":["pods","pods/log"]}',
        '{"verbs":["get"],"nonResourceURLs":["/healthz"]}',
      ],
      aggregates: ['{"selector":["a"]}', '{"selector":["a=1","b=2"]}'],
    });
    expect(row.status).toBe("healthy");
  });

  test("of a RoleBinding have its role and subjects", () => {
    const row = rowOf(roleBindingKind, {
      metadata,
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "reader" },
      subjects: [{ name: "ci", namespace: "build", kind: "ServiceAccount" }],
    });
    expect(Object.fromEntries(row.columns)).toEqual({
      roleGroup: "rbac.authorization.k8s.io",
      roleKind: "Role",
      roleName: "reader",
      subjects: ['{"kind":"ServiceAccount","name":"ci","namespace":"build"}'],
    });
  });

  test.each([7, "x", { verbs: ["get"] }])("[KI18] whose rules are %j, no list, grant nothing and say so", (rules) => {
    const row = rowOf(roleKind, { metadata, rules });
    expect([roleOfRow(row).rules, row.columns.get("unreadableCount")]).toEqual([[], 1]);
  });

  test("[KI18] [KI3] a list of names with one that is no text does not become a rule for every name", () => {
    const named = { verbs: ["get"], apiGroups: [""], resources: ["secrets"], resourceNames: [7] };
    const row = rowOf(roleKind, { metadata, rules: [named] });
    expect([roleOfRow(row).rules, row.columns.get("unreadableCount")]).toEqual([[], 1]);
  });

  test("[KI18] [KI3] a subject with a namespace that is no text does not become one without", () => {
    const subjects = [{ kind: "User", name: "ana", namespace: 7 }, 7, { kind: "User", name: "bo", namespace: null }];
    const row = rowOf(roleBindingKind, { metadata, subjects });
    expect(row.columns.get("subjects")).toEqual(['{"kind":"User","name":"bo"}']);
    expect(row.columns.get("unreadableCount")).toBe(2);
  });

  test("[KI18] that do not fit are refused, and name the object", () => {
    const resourceNames = Array.from({ length: 4_000 }, (_, at) => `a-rather-long-name-${at}`);
    const object = { metadata, rules: [{ verbs: ["get"], resourceNames }] };
    expect(thrownCode(() => sealedRowOf(roleKind, object))).toBe("TOO_LARGE");
    expect(() => sealedRowOf(roleKind, object)).toThrow("shop/reader");
    const roleRef = { kind: "Role", name: "x".repeat(70_000) };
    expect(thrownCode(() => sealedRowOf(roleBindingKind, { metadata, roleRef }))).toBe("TOO_LARGE");
  });
});

describe("reading a row that no projection has made", () => {
  const row = (columns: Readonly<Record<string, ColumnValue>>): RbacRow => ({
    ...metadata,
    columns: new Map(Object.entries(columns)),
  });

  test.each<readonly [string, Readonly<Record<string, ColumnValue>>]>([
    ["rules that are no list", { rules: "{}" }],
    ["rules that are no JSON", { rules: ["{"] }],
    ["rules that are no rule", { rules: ["7"] }],
    ["rules of the wrong type", { rules: ['{"verbs":7}'] }],
    ["rules that were cut", { rules: [], cut: ["rules"] }],
  ])("[KI18] %s are refused", (_, columns) => {
    expect(thrownCode(() => roleOfRow(row(columns)))).toBe("MALFORMED");
  });

  test("[KI18] an object of the wrong scope is refused: it would have the key of another kind's object", () => {
    const wide = { ...row({}), namespace: "" };
    expect(thrownCode(() => rbacObjectOfRow("RoleBinding", wide))).toBe("MALFORMED");
    expect(thrownCode(() => rbacObjectOfRow("ClusterRole", row({})))).toBe("MALFORMED");
    expect(rbacObjectOfRow("ClusterRoleBinding", wide)).toMatchObject({ kind: "ClusterRoleBinding", name: "reader" });
    expect(rbacResources.map(rbacKindOf).includes(undefined)).toBe(false);
    expect(rbacKindOf("pods")).toBeUndefined();
  });

  test("[KI18] a binding with a role that is no text is refused, and one without a role names none", () => {
    expect(thrownCode(() => roleBindingOfRow(row({ roleName: 7 })))).toBe("MALFORMED");
    expect(roleBindingOfRow(row({})).roleRef).toMatchObject({ kind: "", name: "" });
  });
});
