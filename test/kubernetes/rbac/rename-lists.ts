// SPDX-License-Identifier: Apache-2.0
// Keeps policies apart that are drawn from the same few names, so that many of them fit on one server at once.
import type { Subject } from "../../../src/model/subject.ts";
import type { Binding, RbacSubject } from "../../../src/rbac/rbac-types.ts";
import type { RbacLists } from "../../../src/rbac/testing/arbitrary-rbac.ts";

const kept = new Set(["*", "system:authenticated", "system:masters"]);

/** A star stays one: no user is called so, and whoever took it for a wildcard would be found out. */
function renamed(name: string, suffix: string): string {
  return kept.has(name) ? name : `${name}${suffix}`;
}

/** The user, and its groups, of the policy with that suffix; groups of Kubernetes itself stay. */
export function renameUser({ user, groups }: Subject, suffix: string): Subject {
  return { user: renamed(user, suffix), groups: groups.map((group) => renamed(group, suffix)) };
}

function renameSubject(subject: RbacSubject, suffix: string): RbacSubject {
  return { ...subject, name: renamed(subject.name, suffix) };
}

function renameBinding<B extends Binding>(binding: B, suffix: string): B {
  return {
    ...binding,
    name: `${binding.name}${suffix}`,
    subjects: binding.subjects.map((subject) => renameSubject(subject, suffix)),
    roleRef: { ...binding.roleRef, name: `${binding.roleRef.name}${suffix}` },
  };
}

/**
 * The same policy under other names: roles, bindings, users, groups and accounts all end in `suffix`; namespaces are
 * shared.
 */
export function renameLists(lists: RbacLists, suffix: string): RbacLists {
  return {
    roles: lists.roles.map((role) => ({ ...role, name: `${role.name}${suffix}` })),
    clusterRoles: lists.clusterRoles.map((role) => ({ ...role, name: `${role.name}${suffix}` })),
    roleBindings: lists.roleBindings.map((binding) => renameBinding(binding, suffix)),
    clusterRoleBindings: lists.clusterRoleBindings.map((binding) => renameBinding(binding, suffix)),
  };
}

/** All of the lists as one. */
export function joinLists(all: readonly RbacLists[]): RbacLists {
  return {
    roles: all.flatMap(({ roles }) => roles),
    clusterRoles: all.flatMap(({ clusterRoles }) => clusterRoles),
    roleBindings: all.flatMap(({ roleBindings }) => roleBindings),
    clusterRoleBindings: all.flatMap(({ clusterRoleBindings }) => clusterRoleBindings),
  };
}
