// SPDX-License-Identifier: Apache-2.0
// The four RBAC kinds with the fields that decisions need. Field names are Kubernetes' own.

/** One grant: every listed verb on every listed resource, or on every listed URL. Order has no meaning. */
export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  /** Empty means any name. */
  readonly resourceNames: readonly string[];
  readonly nonResourceURLs: readonly string[];
}

/** The subject of a binding. Its API group is not kept, because evaluation ignores it. */
export interface RbacSubject {
  /** `User`, `Group` or `ServiceAccount`. Any other text is legal and matches no user. */
  readonly kind: string;
  readonly name: string;
  /** Used for service accounts only. */
  readonly namespace: string;
}

/** The role that a binding references. It need not exist. */
export interface RoleRef {
  /** Ignored by evaluation. The check of the verb `bind` uses it as the API group. */
  readonly apiGroup: string;
  readonly kind: string;
  readonly name: string;
}

/** Rules that apply in one namespace. */
export interface Role {
  readonly kind: "Role";
  readonly namespace: string;
  readonly name: string;
  readonly rules: readonly PolicyRule[];
}

/** Rules that apply wherever a binding of either kind references them. */
export interface ClusterRole {
  readonly kind: "ClusterRole";
  readonly namespace: "";
  readonly name: string;
  readonly rules: readonly PolicyRule[];
}

/** Grants a role to subjects in its own namespace. */
export interface RoleBinding {
  readonly kind: "RoleBinding";
  readonly namespace: string;
  readonly name: string;
  readonly subjects: readonly RbacSubject[];
  readonly roleRef: RoleRef;
}

/** Grants a ClusterRole to subjects in the whole cluster. */
export interface ClusterRoleBinding {
  readonly kind: "ClusterRoleBinding";
  readonly namespace: "";
  readonly name: string;
  readonly subjects: readonly RbacSubject[];
  readonly roleRef: RoleRef;
}

/** Either kind of binding. The namespace of a ClusterRoleBinding is empty. */
export type Binding = RoleBinding | ClusterRoleBinding;

/** Any object of a policy. */
export type RbacObject = Role | ClusterRole | Binding;

/** The identity of an RbacObject within one cluster. The namespace is empty for the two cluster-scoped kinds. */
export type RbacKey = Pick<RbacObject, "kind" | "namespace" | "name">;

/** The API group of the four kinds. */
export const rbacApiGroup = "rbac.authorization.k8s.io";

/** A rule with the given lists; all others are empty. */
export function createRule(lists: Partial<PolicyRule>): PolicyRule {
  return { verbs: [], apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: [], ...lists };
}
