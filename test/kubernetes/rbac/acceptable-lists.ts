// SPDX-License-Identifier: Apache-2.0
// Random policies as kube-apiserver accepts them: its validation refuses some of what the evaluator must bear.
import type { PolicyRule, RbacSubject, RoleRef } from "../../../src/rbac/rbac-types.ts";
import type { RbacLists } from "../../../src/rbac/testing/arbitrary-rbac.ts";

/** A namespaced rule may name no URLs, a rule may not name both, and no list that counts may be empty. */
function acceptableRules(rules: readonly PolicyRule[], isNamespaced: boolean): readonly PolicyRule[] {
  return rules.flatMap((rule): PolicyRule[] => {
    if (rule.verbs.length === 0) return [];
    if (rule.apiGroups.length > 0 && rule.resources.length > 0) return [{ ...rule, nonResourceURLs: [] }];
    if (isNamespaced || rule.nonResourceURLs.length === 0) return [];
    return [{ ...rule, apiGroups: [], resources: [], resourceNames: [] }];
  });
}

/** There are three kinds of subject; an account has a DNS name, and outside a namespace it has to say its own. */
function acceptableSubject(subject: RbacSubject, bindingNamespace: string): RbacSubject {
  const { kind, name, namespace } = subject;
  const isAccount = kind === "ServiceAccount" && /^[a-z]+$/.test(name);
  if (isAccount) return { kind, name, namespace: namespace === "" && bindingNamespace === "" ? "n" : namespace };
  return { kind: kind === "Group" ? kind : "User", name, namespace };
}

/** A ClusterRoleBinding points to ClusterRoles only. */
function acceptableRef(ref: RoleRef, isNamespaced: boolean): RoleRef {
  const kind = isNamespaced && ref.kind === "Role" ? "Role" : "ClusterRole";
  return { apiGroup: "rbac.authorization.k8s.io", kind, name: ref.name };
}

/** The nearest lists that a server takes. */
export function acceptableLists(lists: RbacLists): RbacLists {
  return {
    roles: lists.roles.map((role) => ({ ...role, rules: acceptableRules(role.rules, true) })),
    clusterRoles: lists.clusterRoles.map((role) => ({ ...role, rules: acceptableRules(role.rules, false) })),
    roleBindings: lists.roleBindings.map((binding) => ({
      ...binding,
      subjects: binding.subjects.map((subject) => acceptableSubject(subject, binding.namespace)),
      roleRef: acceptableRef(binding.roleRef, true),
    })),
    clusterRoleBindings: lists.clusterRoleBindings.map((binding) => ({
      ...binding,
      subjects: binding.subjects.map((subject) => acceptableSubject(subject, "")),
      roleRef: acceptableRef(binding.roleRef, false),
    })),
  };
}
