// SPDX-License-Identifier: Apache-2.0
// Converts rows of RBAC's four kinds back into the evaluator's types. A row that does not parse exactly is refused, and
// its object then grants nothing.
import { unreachable } from "../base/assert.ts";
import { FlotillaError } from "../base/error.ts";
import { resourceIdText } from "../model/gvr.ts";
import type { RowContent } from "../model/rows/row.ts";
import { parseClusterRole, parseClusterRoleBinding, parseRole, parseRoleBinding } from "../rbac/rbac-parse.ts";
import type { ClusterRole, ClusterRoleBinding, RbacKey, RbacObject, Role, RoleBinding } from "../rbac/rbac-types.ts";
import { clusterRoleBindingKind, roleBindingKind } from "./rbac-binding-kinds.ts";
import { clusterRoleKind, roleKind } from "./rbac-role-kinds.ts";
import { cutColumn } from "./row-size-limits.ts";

/** The parts of a row that an RBAC object is parsed from. */
export type RbacRow = Pick<RowContent, "namespace" | "name" | "columns">;

/** By the text of the resource. */
const kinds: ReadonlyMap<string, RbacKey["kind"]> = new Map([
  [resourceIdText(roleKind.resource), "Role"],
  [resourceIdText(clusterRoleKind.resource), "ClusterRole"],
  [resourceIdText(roleBindingKind.resource), "RoleBinding"],
  [resourceIdText(clusterRoleBindingKind.resource), "ClusterRoleBinding"],
]);

/** The kind of the objects of an RBAC resource; undefined for any other resource. */
export function rbacKindOf(resource: string): RbacKey["kind"] | undefined {
  return kinds.get(resource);
}

/**
 * True if objects of the kind can have that namespace. Without this check, a RoleBinding without namespace would have
 * the key of a ClusterRoleBinding.
 */
export function isRbacPlace(kind: RbacKey["kind"], namespace: string): boolean {
  return (namespace === "") === (kind === "ClusterRole" || kind === "ClusterRoleBinding");
}

/** The object of a row of that kind. Throws as `roleOfRow` does, and MALFORMED for a namespace of the wrong scope. */
export function rbacObjectOfRow(kind: RbacKey["kind"], row: RbacRow): RbacObject {
  const { namespace, name } = row;
  if (!isRbacPlace(kind, namespace)) {
    const fault = namespace === "" ? "has no namespace" : "has a namespace";
    throw new FlotillaError("MALFORMED", `a row of kind ${kind} ${fault}`, { ids: { namespace, name } });
  }
  switch (kind) {
    case "Role":
      return roleOfRow(row);
    case "ClusterRole":
      return clusterRoleOfRow(row);
    case "RoleBinding":
      return roleBindingOfRow(row);
    case "ClusterRoleBinding":
      return clusterRoleBindingOfRow(row);
    default:
      return unreachable(kind, "RBAC kind");
  }
}

/** The Role of a row of `roleKind`. Throws MALFORMED for a row that the projection cannot have written. */
export function roleOfRow(row: RbacRow): Role {
  return parseRole({ metadata: metadataOf(row), rules: elementsOf(row, "rules") });
}

/** The ClusterRole of a row of `clusterRoleKind`. Throws as `roleOfRow` does. */
export function clusterRoleOfRow(row: RbacRow): ClusterRole {
  return parseClusterRole({ metadata: metadataOf(row), rules: elementsOf(row, "rules") });
}

/** The RoleBinding of a row of `roleBindingKind`. Throws as `roleOfRow` does. */
export function roleBindingOfRow(row: RbacRow): RoleBinding {
  return parseRoleBinding(bindingOf(row));
}

/** The ClusterRoleBinding of a row of `clusterRoleBindingKind`. Throws as `roleOfRow` does. */
export function clusterRoleBindingOfRow(row: RbacRow): ClusterRoleBinding {
  return parseClusterRoleBinding(bindingOf(row));
}

function metadataOf({ namespace, name }: RbacRow): unknown {
  return { namespace, name };
}

function bindingOf(row: RbacRow): unknown {
  const roleRef = {
    apiGroup: row.columns.get("roleGroup"),
    kind: row.columns.get("roleKind"),
    name: row.columns.get("roleName"),
  };
  return { metadata: metadataOf(row), roleRef, subjects: elementsOf(row, "subjects") };
}

function elementsOf(row: RbacRow, column: "rules" | "subjects"): readonly unknown[] {
  const texts = row.columns.get(column) ?? [];
  const cut = row.columns.get(cutColumn) ?? [];
  if (typeof texts !== "object") throw malformed(row, column, "is not a list");
  if (typeof cut !== "object" || cut.includes(column)) throw malformed(row, column, "was cut");
  return texts.map((text) => parseElement(row, column, text));
}

function parseElement(row: RbacRow, column: string, text: string): unknown {
  try {
    const element: unknown = JSON.parse(text);
    return element;
  } catch (reason) {
    if (reason instanceof SyntaxError) throw malformed(row, column, "holds an element that is not JSON");
    throw reason;
  }
}

function malformed({ namespace, name }: RbacRow, column: string, fault: string): FlotillaError {
  return new FlotillaError("MALFORMED", `column ${column} of an RBAC row ${fault}`, { ids: { namespace, name } });
}
