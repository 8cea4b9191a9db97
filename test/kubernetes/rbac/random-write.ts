// SPDX-License-Identifier: Apache-2.0
// Random writes of RBAC objects by users who may write them, so that only what they would give away can stand against
// it.
import * as fc from "fast-check";
import { createSubject, type Subject } from "../../../src/model/subject.ts";
import { createRule, type RbacObject, rbacApiGroup } from "../../../src/rbac/rbac-types.ts";
import { anyObject, anyUser, type RbacLists } from "../../../src/rbac/testing/arbitrary-rbac.ts";
import { clusterRole, clusterRoleBinding } from "../../../src/rbac/testing/rbac-objects.ts";
import { acceptableLists } from "./acceptable-lists.ts";

/** Every user who writes is in this group, which may create the four kinds and nothing else. */
const writersGroup = "writers";

const onRbac = (verb: string, resources: string[], resourceNames: string[] = []) =>
  createRule({ verbs: [verb], apiGroups: [rbacApiGroup], resources, resourceNames });

/**
 * What is added to a policy: the right to write, and for some users the two verbs that permit giving more than one has.
 */
const extraRoles = [
  clusterRole("writers", onRbac("create", ["roles", "clusterroles", "rolebindings", "clusterrolebindings"])),
  clusterRole("binders", onRbac("bind", ["clusterroles"], ["r"]), onRbac("bind", ["roles"], ["s"])),
  clusterRole("escalators", onRbac("escalate", ["roles"]), onRbac("escalate", ["clusterroles"], ["fresh"])),
];
const extraBindings = [
  clusterRoleBinding("writers", "ClusterRole/writers", `Group:${writersGroup}`),
  clusterRoleBinding("binders", "ClusterRole/binders", "Group:a"),
  clusterRoleBinding("escalators", "ClusterRole/escalators", "User:b"),
];

/** The lists with the rights that writers need. */
export function withWriters(lists: RbacLists): RbacLists {
  return {
    ...lists,
    clusterRoles: [...lists.clusterRoles, ...extraRoles],
    clusterRoleBindings: [...lists.clusterRoleBindings, ...extraBindings],
  };
}

/** One object to be created. */
export interface RandomWrite {
  readonly user: Subject;
  readonly object: RbacObject;
  /** A ClusterRole with an aggregationRule. */
  readonly isAggregated: boolean;
}

function renamed(object: RbacObject): RbacObject {
  return { ...object, name: "fresh" };
}

function acceptable(object: RbacObject): RbacObject {
  const none: RbacLists = { roles: [], clusterRoles: [], roleBindings: [], clusterRoleBindings: [] };
  switch (object.kind) {
    case "Role":
      return acceptableLists({ ...none, roles: [object] }).roles[0] ?? object;
    case "ClusterRole":
      return acceptableLists({ ...none, clusterRoles: [object] }).clusterRoles[0] ?? object;
    case "RoleBinding":
      return acceptableLists({ ...none, roleBindings: [object] }).roleBindings[0] ?? object;
    case "ClusterRoleBinding":
      return acceptableLists({ ...none, clusterRoleBindings: [object] }).clusterRoleBindings[0] ?? object;
  }
}

/** A new object called `fresh`, which no policy has. */
export const anyWrite: fc.Arbitrary<RandomWrite> = fc
  .record({ user: anyUser, object: anyObject, isAggregated: fc.boolean() })
  .map(({ user, object, isAggregated }) => ({
    user: createSubject({ user: user.user, groups: [...new Set([...user.groups, writersGroup])] }),
    object: renamed(acceptable(object)),
    isAggregated: isAggregated && object.kind === "ClusterRole",
  }));
