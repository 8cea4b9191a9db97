// SPDX-License-Identifier: Apache-2.0
// RBAC objects as rows, and the rows of one cluster beside a plain copy of its objects.
import type { RbacRow } from "../../../kinds/rbac-rows.ts";
import type { ColumnValue } from "../../../model/rows/row.ts";
import { type RbacObject, rbacApiGroup } from "../../../rbac/rbac-types.ts";
import type { RbacLists } from "../../../rbac/testing/arbitrary-rbac.ts";
import { ClusterGrants } from "../cluster-grants.ts";
import { GrantsCache } from "../grants-cache.ts";

/** The resource of an RBAC object, as text. */
export function resourceOf({ kind }: Pick<RbacObject, "kind">): string {
  return `${rbacApiGroup}/${kind.toLowerCase()}s`;
}

/** The row of an RBAC object, as its kind's projection writes it. */
export function rowOfObject(object: RbacObject): RbacRow {
  const columns = new Map<string, ColumnValue>();
  if ("rules" in object) columns.set("rules", object.rules.map(toJson));
  else {
    columns.set("roleGroup", object.roleRef.apiGroup);
    columns.set("roleKind", object.roleRef.kind);
    columns.set("roleName", object.roleRef.name);
    columns.set("subjects", object.subjects.map(toJson));
  }
  return { namespace: object.namespace, name: object.name, columns };
}

function toJson(value: object): string {
  return JSON.stringify(value);
}

/** The grants of a cluster with these objects. */
export function grantsWith(objects: readonly RbacObject[], cache = new GrantsCache()): ClusterGrants {
  const grants = new ClusterGrants({ cluster: "leaf-01", cache });
  for (const object of objects) grants.upsert(resourceOf(object), rowOfObject(object));
  return grants;
}

/** Objects by kind, of two with the same key the later one. */
export function toLists(objects: Iterable<RbacObject>): RbacLists {
  const byKey = new Map(Array.from(objects, (each) => [`${each.kind}/${each.namespace}/${each.name}`, each]));
  const all = [...byKey.values()];
  return {
    roles: all.filter((object) => object.kind === "Role"),
    clusterRoles: all.filter((object) => object.kind === "ClusterRole"),
    roleBindings: all.filter((object) => object.kind === "RoleBinding"),
    clusterRoleBindings: all.filter((object) => object.kind === "ClusterRoleBinding"),
  };
}

/** All objects of a random policy. */
export function objectsOf(lists: RbacLists): readonly RbacObject[] {
  return [...lists.roles, ...lists.clusterRoles, ...lists.roleBindings, ...lists.clusterRoleBindings];
}
