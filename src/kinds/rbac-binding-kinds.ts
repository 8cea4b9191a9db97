// SPDX-License-Identifier: Apache-2.0
import { textOf } from "./fields.ts";
import { type Columns, jsonTexts, type Kind, type KindColumn, type Projected, setColumn } from "./kind.ts";
import { exactSubjects } from "./rbac-fields.ts";

/** Never cut: a shortened name would name another role or subject (KI18). */
const bindingColumns: readonly KindColumn[] = [
  { name: "roleGroup", type: "string", isWhole: true },
  { name: "roleKind", type: "string", isWhole: true, isMain: true },
  { name: "roleName", type: "string", isWhole: true, isMain: true },
  { name: "subjects", type: "stringList", isJson: true, isWhole: true, isMain: true },
  { name: "unreadableCount", type: "integer" },
];

/** RoleBindings, complete. */
export const roleBindingKind: Kind = {
  resource: { group: "rbac.authorization.k8s.io", resource: "rolebindings" },
  kind: "RoleBinding",
  versions: ["v1"],
  isNamespaced: true,
  isConfiguration: true,
  columns: bindingColumns,
  project: projectBinding,
};

/** ClusterRoleBindings, complete. */
export const clusterRoleBindingKind: Kind = {
  resource: { group: "rbac.authorization.k8s.io", resource: "clusterrolebindings" },
  kind: "ClusterRoleBinding",
  versions: ["v1"],
  isNamespaced: false,
  isConfiguration: true,
  columns: bindingColumns,
  project: projectBinding,
};

function projectBinding(object: unknown): Projected {
  const columns: Columns = new Map();
  setColumn(columns, "roleGroup", textOf(object, "roleRef", "apiGroup"));
  setColumn(columns, "roleKind", textOf(object, "roleRef", "kind"));
  setColumn(columns, "roleName", textOf(object, "roleRef", "name"));
  const { elements, unreadableCount } = exactSubjects(object);
  setColumn(columns, "subjects", jsonTexts(elements));
  if (unreadableCount > 0) columns.set("unreadableCount", unreadableCount);
  return { columns };
}
