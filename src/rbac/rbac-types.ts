// SPDX-License-Identifier: Apache-2.0
// The four RBAC kinds as far as a decision needs them. Field names are Kubernetes' own, so that what is shown matches what is stored.

/** The user of a request, as the evaluator takes it: name and groups, implied groups included. */
export type { Subject as RbacUser } from "../model/subject.ts";

/** One grant: every listed verb on every listed resource, or on every listed URL. Order carries no meaning. */
export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  /** Empty means any name. */
  readonly resourceNames: readonly string[];
  readonly nonResourceURLs: readonly string[];
}

/** Whom a binding names. The API group is not kept, because evaluation never looks at it. */
export interface RbacSubject {
  /** `User`, `Group` or `ServiceAccount`; any other text is legal and matches nobody. */
  readonly kind: string;
  readonly name: string;
  /** Counts for service accounts only. */
  readonly namespace: string;
}

/** The role a binding points to; the role need not exist. */
export interface RoleRef {
  /** Plays no part in evaluation; the check of the verb `bind` asks under this group. */
  readonly apiGroup: string;
  readonly kind: string;
  readonly name: string;
}

/** Rules that count in one namespace. */
export interface Role {
  readonly kind: "Role";
  readonly namespace: string;
  readonly name: string;
  readonly rules: readonly PolicyRule[];
}

/** Rules that count wherever a binding of either kind points to them. */
export interface ClusterRole {
  readonly kind: "ClusterRole";
  readonly namespace: "";
  readonly name: string;
  readonly rules: readonly PolicyRule[];
}

/** Gives a role to subjects in its own namespace. */
export interface RoleBinding {
  readonly kind: "RoleBinding";
  readonly namespace: string;
  readonly name: string;
  readonly subjects: readonly RbacSubject[];
  readonly roleRef: RoleRef;
}

/** Gives a ClusterRole to subjects everywhere. */
export interface ClusterRoleBinding {
  readonly kind: "ClusterRoleBinding";
  readonly namespace: "";
  readonly name: string;
  readonly subjects: readonly RbacSubject[];
  readonly roleRef: RoleRef;
}

/** Either kind of binding; the namespace of a ClusterRoleBinding is empty. */
export type Binding = RoleBinding | ClusterRoleBinding;

/** Any object that a policy is made of. */
export type RbacObject = Role | ClusterRole | Binding;

/** What names an RbacObject within one cluster; the namespace is empty for the two cluster-scoped kinds. */
export type RbacKey = Pick<RbacObject, "kind" | "namespace" | "name">;

/** The API group of the four kinds. */
export const rbacApiGroup = "rbac.authorization.k8s.io";

/** A rule with the lists given and all others empty. */
export function createRule(lists: Partial<PolicyRule>): PolicyRule {
  return { verbs: [], apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: [], ...lists };
}
