// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { copyJson, type JsonObject } from "../../json/json.ts";
import { toSentence } from "../../status/field-error.ts";
import { clusterRoleBindingStrategy, roleBindingStrategy } from "./rbac-bindings.ts";

const binding: JsonObject = {
  metadata: { name: "b" },
  roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" },
};

test("the role of a binding cannot be changed", () => {
  const other = { ...binding, roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "admin" } };
  expect(roleBindingStrategy.validateUpdate?.(other, binding).map(toSentence)).toEqual([
    'roleRef: Invalid value: {"APIGroup":"rbac.authorization.k8s.io","Kind":"ClusterRole","Name":"admin"}: cannot change roleRef',
  ]);
});

test("subjects get the group of their kind", () => {
  const object = copyJson({
    ...binding,
    roleRef: { kind: "ClusterRole", name: "view" },
    subjects: [
      { kind: "User", name: "u" },
      { kind: "Group", name: "g" },
      { kind: "ServiceAccount", name: "s" },
    ],
  });
  roleBindingStrategy.setDefaults?.(object);
  const apiGroup = "rbac.authorization.k8s.io";
  expect(object).toMatchObject({
    roleRef: { apiGroup },
    subjects: [
      { kind: "User", apiGroup },
      { kind: "Group", apiGroup },
      { kind: "ServiceAccount", name: "s" },
    ],
  });
});

test("a service account without a namespace is refused in a ClusterRoleBinding", () => {
  const object = { ...binding, subjects: [{ kind: "ServiceAccount", name: "s" }] };
  expect(roleBindingStrategy.validate?.(object)).toEqual([]);
  expect(clusterRoleBindingStrategy.validate?.(object).map(toSentence)).toEqual([
    "subjects[0].namespace: Required value",
  ]);
});
