// SPDX-License-Identifier: Apache-2.0
import { anonymousSubject, createSubject, type Subject, unauthenticatedGroup } from "../../model/subject.ts";

/** How the users of the hub are named in one cluster. */
export interface IdentityMapping {
  /** Put before user names that `users` does not replace: `oidc:`. */
  readonly userPrefix: string;
  /** Put before groups that `groups` does not replace. */
  readonly groupPrefix: string;
  /** Groups of the cluster that replace a group of the hub. None: the group has no meaning in the cluster. */
  readonly groups: ReadonlyMap<string, readonly string[]>;
  /** The name in the cluster that replaces a name at the hub. */
  readonly users: ReadonlyMap<string, string>;
}

/** Users and groups have the same names in the cluster as at the hub. */
export const sameIdentities: IdentityMapping = {
  userPrefix: "",
  groupPrefix: "",
  groups: new Map(),
  users: new Map(),
};

/** Names that belong to Kubernetes. */
const systemPrefix = "system:";

/** True for names that only a cluster itself may give: its components, service accounts and `system:masters`. */
export function isSystemName(name: string): boolean {
  return name.startsWith(systemPrefix);
}

/**
 * The subject of a cluster that stands for a subject of the hub. Names that begin with `system:` are not carried over
 * and never result: such a group is left out, and a user with such a name is anonymous in the cluster, unless the
 * mapping replaces it. The implied groups are added as the cluster's own authentication adds them (RB13). `extra` and
 * `uid` are the hub's and are left out.
 */
export function toClusterSubject(subject: Subject, mapping: IdentityMapping): Subject {
  const [user] = namesInCluster(subject.user, [mapping.users.get(subject.user)], mapping.userPrefix);
  if (subject.user === anonymousSubject.user || user === undefined) return anonymousSubject;
  const groups = subject.groups.flatMap((group) =>
    namesInCluster(group, mapping.groups.get(group) ?? [undefined], mapping.groupPrefix),
  );
  if (subject.groups.includes(unauthenticatedGroup)) groups.push(unauthenticatedGroup);
  return createSubject({ user, groups });
}

/** The names that replace `name`, or `name` with its prefix where none does. */
function namesInCluster(name: string, replacing: readonly (string | undefined)[], prefix: string): string[] {
  return replacing.flatMap((other) => {
    if (other === undefined && isSystemName(name)) return [];
    const result = other ?? `${prefix}${name}`;
    return isSystemName(result) ? [] : [result];
  });
}

/**
 * `toClusterSubject` for one mapping. The same subject object gives the same result object, so that what is remembered
 * for a subject is found again.
 */
export function createSubjectMapper(mapping: IdentityMapping): (subject: Subject) => Subject {
  const known = new WeakMap<Subject, Subject>();
  return (subject) => {
    const mapped = known.get(subject) ?? toClusterSubject(subject, mapping);
    known.set(subject, mapped);
    return mapped;
  };
}
