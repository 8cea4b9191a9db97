// SPDX-License-Identifier: Apache-2.0
import { isDnsLabel, isDnsSubdomain } from "./dns-name.ts";

/** The user of a request, as in Kubernetes RBAC. The evaluator uses only these texts. */
export interface Subject {
  readonly user: string;
  /** Without duplicates, including implied groups. */
  readonly groups: readonly string[];
  readonly extra?: ReadonlyMap<string, readonly string[]>;
  /** Distinguishes users that had the same name at different times. Only reviews show it; no right depends on it. */
  readonly uid?: string;
}

/** The group of all users with a credential. */
export const authenticatedGroup = "system:authenticated";

/** The group of users without a credential. */
export const unauthenticatedGroup = "system:unauthenticated";

const serviceAccountPrefix = "system:serviceaccount:";
const serviceAccountsGroup = "system:serviceaccounts";

/** The user of requests without a credential (CO58). */
export const anonymousSubject: Subject = { user: "system:anonymous", groups: [unauthenticatedGroup] };

/** The service account of a user name; undefined if it is not one (CO57). */
export function parseServiceAccountUser(user: string): { namespace: string; name: string } | undefined {
  if (!user.startsWith(serviceAccountPrefix)) return undefined;
  const [namespace = "", name = "", ...more] = user.slice(serviceAccountPrefix.length).split(":");
  if (more.length > 0 || !isDnsLabel(namespace) || !isDnsSubdomain(name)) return undefined;
  return { namespace, name };
}

/** The user name of a service account. */
export function serviceAccountUser(namespace: string, name: string): string {
  return `${serviceAccountPrefix}${namespace}:${name}`;
}

/**
 * An authenticated subject, with the groups that Kubernetes' authenticators add (CO56, CO57). The user
 * `system:anonymous` always becomes the anonymous subject, whatever its groups, so that this name never counts as
 * authenticated.
 */
export function createSubject(identity: {
  readonly user: string;
  readonly groups?: readonly string[];
  readonly extra?: ReadonlyMap<string, readonly string[]>;
  readonly uid?: string;
}): Subject {
  if (identity.user === anonymousSubject.user) return anonymousSubject;
  const groups = new Set(identity.groups);
  const account = parseServiceAccountUser(identity.user);
  if (account !== undefined) {
    groups.add(serviceAccountsGroup);
    groups.add(`${serviceAccountsGroup}:${account.namespace}`);
  }
  if (!groups.has(unauthenticatedGroup)) groups.add(authenticatedGroup);
  return {
    user: identity.user,
    groups: [...groups],
    ...(identity.extra === undefined ? {} : { extra: identity.extra }),
    ...(identity.uid === undefined ? {} : { uid: identity.uid }),
  };
}
