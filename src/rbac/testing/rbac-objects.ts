// SPDX-License-Identifier: Apache-2.0
// Shorthands for RBAC objects and requests in tests.
import type { NonResourceAttributes, ResourceAttributes } from "../attributes.ts";
import {
  type ClusterRole,
  type ClusterRoleBinding,
  createRule,
  type PolicyRule,
  type RbacSubject,
  type Role,
  type RoleBinding,
  type RoleRef,
  rbacApiGroup,
} from "../rbac-types.ts";

/** `User:alice`, `Group:dev`, `ServiceAccount:robot` or `ServiceAccount:ci/robot` (namespace first). */
export function subject(text: string): RbacSubject {
  const colon = text.indexOf(":");
  const rest = text.slice(colon + 1);
  const slash = rest.indexOf("/");
  return { kind: text.slice(0, colon), namespace: rest.slice(0, Math.max(slash, 0)), name: rest.slice(slash + 1) };
}

/** `Role/name` or `ClusterRole/name`. */
function roleRef(text: string): RoleRef {
  const [kind = "", name = ""] = text.split("/");
  return { apiGroup: rbacApiGroup, kind, name };
}

export function role(namespace: string, name: string, ...rules: readonly Partial<PolicyRule>[]): Role {
  return { kind: "Role", namespace, name, rules: rules.map(createRule) };
}

export function clusterRole(name: string, ...rules: readonly Partial<PolicyRule>[]): ClusterRole {
  return { kind: "ClusterRole", namespace: "", name, rules: rules.map(createRule) };
}

export function roleBinding(namespace: string, name: string, ref: string, ...subjects: readonly string[]): RoleBinding {
  return { kind: "RoleBinding", namespace, name, subjects: subjects.map(subject), roleRef: roleRef(ref) };
}

export function clusterRoleBinding(name: string, ref: string, ...subjects: readonly string[]): ClusterRoleBinding {
  const kind = "ClusterRoleBinding";
  return { kind, namespace: "", name, subjects: subjects.map(subject), roleRef: roleRef(ref) };
}

/** A request for `resource` or `resource/subresource`; by default of the core group, without namespace and name. */
export function request(
  verb: string,
  resource: string,
  rest: Partial<Pick<ResourceAttributes, "apiGroup" | "namespace" | "name">> = {},
): ResourceAttributes {
  const [first = "", subresource = ""] = resource.split("/");
  return { kind: "resource", verb, apiGroup: "", resource: first, subresource, namespace: "", name: "", ...rest };
}

export function urlRequest(verb: string, path: string): NonResourceAttributes {
  return { kind: "nonResource", verb, path };
}

/** Reading pods in the core group. */
export const readPods: Partial<PolicyRule> = { verbs: ["get", "list"], apiGroups: [""], resources: ["pods"] };
