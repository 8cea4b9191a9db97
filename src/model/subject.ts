// SPDX-License-Identifier: Apache-2.0
import { isDnsLabel, isDnsSubdomain } from "./dns-name.ts";

/** Who asks, as Kubernetes RBAC sees it: the evaluator compares these texts and knows nothing else. */
export interface Subject {
  readonly user: string;
  /** Without repetition; the implied ones are in it. */
  readonly groups: readonly string[];
  readonly extra?: ReadonlyMap<string, readonly string[]>;
  /** Tells one user from another of the same name at another time. Only reviews show it; no right depends on it. */
  readonly uid?: string;
}

/** Group of everybody who showed a credential. */
export const authenticatedGroup = "system:authenticated";

/** Group of the subject without a credential. */
export const unauthenticatedGroup = "system:unauthenticated";

const serviceAccountPrefix = "system:serviceaccount:";
const serviceAccountsGroup = "system:serviceaccounts";

/** Whoever shows no credential (CO58). */
export const anonymousSubject: Subject = { user: "system:anonymous", groups: [unauthenticatedGroup] };

/** The service account that a user name names; undefined when it names none (CO57). */
export function parseServiceAccountUser(user: string): { namespace: string; name: string } | undefined {
  if (!user.startsWith(serviceAccountPrefix)) return undefined;
  const [namespace = "", name = "", ...more] = user.slice(serviceAccountPrefix.length).split(":");
  if (more.length > 0 || !isDnsLabel(namespace) || !isDnsSubdomain(name)) return undefined;
  return { namespace, name };
}

/** The user name under which a service account authenticates. */
export function serviceAccountUser(namespace: string, name: string): string {
  return `${serviceAccountPrefix}${namespace}:${name}`;
}

/**
 * A subject that has authenticated, with the groups that Kubernetes' authenticators add by themselves (CO56, CO57). The
 * user `system:anonymous` is the anonymous subject, whatever groups come with it: nobody becomes authenticated by that name.
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
