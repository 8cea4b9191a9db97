// SPDX-License-Identifier: Apache-2.0
// Evaluators that leave out one step of Kubernetes RBAC each, made by taking away from policies what that step looks
// at. The comparison with the real server must notice every one of them, or it would prove nothing of that step.
import type { Binding, PolicyRule, RbacSubject } from "../../../src/rbac/rbac-types.ts";
import type { RbacLists } from "../../../src/rbac/testing/arbitrary-rbac.ts";

type Break = (lists: RbacLists) => RbacLists;

/** What each evaluator does wrong. */
export const brokenSteps: Readonly<Record<string, Break>> = {
  "knows no users": withoutSubjects("User"),
  "knows no groups": withoutSubjects("Group"),
  "knows no service accounts": withoutSubjects("ServiceAccount"),
  "takes service accounts of any namespace": changeSubjects((subject) =>
    subject.kind === "ServiceAccount" ? ["n", "m"].map((namespace) => ({ ...subject, namespace })) : [subject],
  ),
  "takes a star for a verb": changeRules((rule) => ({ ...rule, verbs: withoutStar(rule.verbs) })),
  "takes a star for a resource": changeRules((rule) => ({ ...rule, resources: withoutStar(rule.resources) })),
  "takes a star for an API group": changeRules((rule) => ({ ...rule, apiGroups: withoutStar(rule.apiGroups) })),
  "does not look at API groups": changeRules((rule) =>
    rule.apiGroups.length === 0 ? rule : { ...rule, apiGroups: ["*"] },
  ),
  "does not look at names": changeRules((rule) => ({ ...rule, resourceNames: [] })),
  "gives names for any name": changeRules((rule) => (rule.resourceNames.length === 0 ? rule : { ...rule, verbs: [] })),
  "does not know subresources": changeRules((rule) => ({
    ...rule,
    resources: rule.resources.filter((each) => !each.includes("/")),
  })),
  "does not look at URLs": changeRules((rule) => ({ ...rule, nonResourceURLs: [] })),
  "does not bind ClusterRoles in one namespace": (lists) => ({
    ...lists,
    roleBindings: lists.roleBindings.filter(({ roleRef }) => roleRef.kind !== "ClusterRole"),
  }),
  "does not bind Roles": (lists) => ({
    ...lists,
    roleBindings: lists.roleBindings.filter(({ roleRef }) => roleRef.kind !== "Role"),
  }),
  "does not bind ClusterRoles everywhere": (lists) => ({ ...lists, clusterRoleBindings: [] }),
};

/** No request has this: a star in its place matches nothing. */
function withoutStar(words: readonly string[]): readonly string[] {
  return words.map((word) => (word === "*" ? "no-such-word" : word));
}

function changeRules(change: (rule: PolicyRule) => PolicyRule): Break {
  return (lists) => ({
    ...lists,
    roles: lists.roles.map((role) => ({ ...role, rules: role.rules.map(change) })),
    clusterRoles: lists.clusterRoles.map((role) => ({ ...role, rules: role.rules.map(change) })),
  });
}

function changeSubjects(change: (subject: RbacSubject) => readonly RbacSubject[]): Break {
  const inBinding = <Kind extends Binding>(binding: Kind): Kind => ({
    ...binding,
    subjects: binding.subjects.flatMap(change),
  });
  return (lists) => ({
    ...lists,
    roleBindings: lists.roleBindings.map(inBinding),
    clusterRoleBindings: lists.clusterRoleBindings.map(inBinding),
  });
}

function withoutSubjects(kind: string): Break {
  return changeSubjects((subject) => (subject.kind === kind ? [] : [subject]));
}
