// SPDX-License-Identifier: Apache-2.0
// Random policies about kinds that a cluster really has, and users of the hub whom they name.
import * as fc from "fast-check";
import type { Subject } from "../../../src/model/subject.ts";
import type { PolicyRule } from "../../../src/rbac/rbac-types.ts";
import { anyLists, anyUser, type RbacLists } from "../../../src/rbac/testing/arbitrary-rbac.ts";
import { clusterRole, clusterRoleBinding, role, roleBinding } from "../../../src/rbac/testing/rbac-objects.ts";
import { acceptableLists } from "../rbac/acceptable-lists.ts";
import { joinLists, renameLists, renameUser } from "../rbac/rename-lists.ts";
import { type PolicyWords, policyWords } from "./compared-kinds.ts";

/** The group that allows a user to ask the hub; the cluster's policies do not name it. */
const askersGroup = "flotilla:viewers";

/** A ClusterRole that the cluster's own controller fills from others, and the user to whom it is bound. */
export interface AggregatedRole {
  readonly name: string;
  readonly user: string;
  /** Undefined: bound in the whole cluster. */
  readonly namespace: string | undefined;
  readonly sources: readonly (readonly PolicyRule[])[];
}

/** Policies that stand beside each other in one cluster, and the users to compare. */
export interface DrawnAccess {
  readonly lists: RbacLists;
  readonly aggregated: readonly AggregatedRole[];
  readonly users: readonly Subject[];
}

function toReal(rule: PolicyRule, words: PolicyWords): PolicyRule {
  const real = (word: string): string => {
    const [resource = "", subresource] = word.split("/");
    const named = resource === "p" || resource === "q" ? words[resource] : resource;
    return subresource === undefined ? named : `${named}/${subresource === "l" ? "status" : subresource}`;
  };
  const apiGroups = rule.apiGroups.map((group) => (group === "x" ? words.x : group));
  return { ...rule, apiGroups, resources: rule.resources.map(real) };
}

function toRealLists(lists: RbacLists, words: PolicyWords): RbacLists {
  const withRules = <R extends { readonly rules: readonly PolicyRule[] }>(role: R): R => ({
    ...role,
    rules: role.rules.map((rule) => toReal(rule, words)),
  });
  return { ...lists, roles: lists.roles.map(withRules), clusterRoles: lists.clusterRoles.map(withRules) };
}

/** No user of the hub is a service account in a cluster (RB71); their bindings are drawn all the same. */
const anyHubUser = anyUser.filter(({ user }) => !user.startsWith("system:"));

const anyPolicy = fc.record({
  lists: anyLists.map(acceptableLists),
  users: fc.uniqueArray(anyHubUser, { minLength: 2, maxLength: 2, selector: ({ user }) => user }),
  aggregatedIn: fc.constantFrom(undefined, "n"),
});

/** What few seeds draw: Events by their second group, names in a list and in a get, a Namespace by a RoleBinding. */
const fixedLists: RbacLists = {
  roles: [role("n", "own-namespace", { verbs: ["get"], apiGroups: [""], resources: ["namespaces"] })],
  clusterRoles: [
    clusterRole("new-events", { verbs: ["list"], apiGroups: ["events.k8s.io"], resources: ["events"] }),
    clusterRole(
      "named",
      { verbs: ["list"], apiGroups: [""], resources: ["configmaps"], resourceNames: ["a"] },
      { verbs: ["get"], apiGroups: ["apps"], resources: ["deployments"], resourceNames: ["b"] },
    ),
  ],
  roleBindings: [
    roleBinding("n", "own-namespace", "Role/own-namespace", "User:nadia"),
    roleBinding("m", "named", "ClusterRole/named", "User:nadia"),
  ],
  clusterRoleBindings: [
    clusterRoleBinding("new-events", "ClusterRole/new-events", "Group:watchers"),
    clusterRoleBinding("named", "ClusterRole/named", "User:nora"),
  ],
};
const fixedUsers: readonly Subject[] = [
  { user: "nadia", groups: [askersGroup] },
  { user: "nora", groups: ["watchers", askersGroup] },
];

/** Policies for each of `policyWords`; a policy alone often shows nothing to its users. */
const policiesPerWords = 2;

/** Fixed policies, and drawn ones under names of their own, which depend on the seed alone. */
export function drawAccess(seed: number): DrawnAccess {
  const drawn = fc.sample(anyPolicy, { seed, numRuns: policiesPerWords * policyWords.length });
  const policies = drawn.map(({ lists, users, aggregatedIn }, at) => {
    const suffix = `-${at}`;
    const real = renameLists(toRealLists(lists, policyWords[at % policyWords.length]!), suffix);
    // `c` is named by no other binding, so that all that it sees is aggregated.
    const members: readonly Subject[] = [...users, { user: "c", groups: [] }];
    return {
      lists: real,
      aggregated: {
        name: `aggregated${suffix}`,
        user: `c${suffix}`,
        namespace: aggregatedIn,
        sources: real.clusterRoles.map(({ rules }) => rules),
      },
      users: members.map((user) => {
        const renamed = renameUser(user, suffix);
        return { ...renamed, groups: [...renamed.groups, askersGroup] };
      }),
    };
  });
  return {
    lists: joinLists([fixedLists, ...policies.map(({ lists }) => lists)]),
    aggregated: policies.map(({ aggregated }) => aggregated),
    users: [...fixedUsers, ...policies.flatMap(({ users }) => users)],
  };
}
