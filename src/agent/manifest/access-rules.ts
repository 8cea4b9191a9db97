// SPDX-License-Identifier: Apache-2.0
// What an agent has to be allowed: to read what it collects; where it is to, to act for users; and nothing else.
import { compareResourceIds, type ResourceId, resourceIdText } from "../../model/gvr.ts";
import { compareUtf8 } from "../../model/text.ts";
import type { AgentManifestOptions, CollectedKind } from "./manifest-options.ts";

/** A rule of a Role or ClusterRole. */
export interface AccessRule {
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
  readonly verbs: readonly string[];
}

/** Reading, whole: get for a single object, list and watch for all of them. */
const readVerbs = ["get", "list", "watch"] as const;

/** Reading a single object as a user, in the words of Kubernetes 1.36. */
const actingVerbs = ["impersonate-on:user-info:get"] as const;

/** Who the cluster is (its kube-system namespace has the UID), which version it runs, whether it lives, what it serves. */
const selfRules: readonly AccessRule[] = [
  { apiGroups: [""], resources: ["namespaces"], resourceNames: ["kube-system"], verbs: ["get"] },
  { nonResourceURLs: ["/api", "/api/*", "/apis", "/apis/*", "/livez", "/version"], verbs: ["get"] },
];

/** What is granted where. */
export interface AccessPlan {
  /** In the whole cluster. */
  readonly cluster: readonly AccessRule[];
  /** In each of the namespaces that collection is limited to; empty where it is not. */
  readonly namespaced: readonly AccessRule[];
}

/** The namespaces that collection is limited to, in order; undefined where it is not. As in the agent, excluding counts more than including. */
export function limitedNamespaces({
  namespaces,
  excludeNamespaces,
}: Pick<AgentManifestOptions, "namespaces" | "excludeNamespaces">): readonly string[] | undefined {
  if (namespaces.length === 0) return undefined;
  return [...new Set(namespaces)].filter((name) => !excludeNamespaces.includes(name)).sort(compareUtf8);
}

/** What the rights of an agent follow from. */
export type AccessOptions = Pick<
  AgentManifestOptions,
  "namespaces" | "excludeNamespaces" | "kinds" | "objectReads" | "constrainedImpersonation"
>;

/** All rights of an agent. Where collection is limited to namespaces, what lies in namespaces is granted there only. */
export function planAccess(options: AccessOptions): AccessPlan {
  const namespaces = limitedNamespaces(options);
  const reading = planVerbs(options.kinds, namespaces, readVerbs);
  const acting = planActing(options, namespaces);
  return {
    cluster: [...selfRules, ...reading.cluster, ...acting.cluster],
    namespaced: [...reading.namespaced, ...acting.namespaced],
  };
}

/**
 * Acting for users (TU8). `impersonate` lets its holder be anybody in everything. Kubernetes from 1.36 on can be told more exactly: to be users, and as users to read single objects
 * of what the agent collects, Secrets excepted (TU7), and `/livez`, by which it tells whose refusal one is.
 */
function planActing(options: AccessOptions, namespaces: readonly string[] | undefined): AccessPlan {
  const { objectReads, constrainedImpersonation, kinds } = options;
  const subjects = ["users", "groups"];
  if (!objectReads) return { cluster: [], namespaced: [] };
  if (!constrainedImpersonation) {
    return { cluster: [{ apiGroups: [""], resources: subjects, verbs: ["impersonate"] }], namespaced: [] };
  }
  const shown = kinds.filter(({ resource }) => resourceIdText(resource) !== "secrets");
  const { cluster, namespaced } = planVerbs(shown, namespaces, actingVerbs);
  const acting = { apiGroups: ["authentication.k8s.io"], resources: subjects, verbs: ["impersonate:user-info"] };
  return { cluster: [acting, { nonResourceURLs: ["/livez"], verbs: actingVerbs }, ...cluster], namespaced };
}

/** These verbs on everything that is read for these kinds. */
function planVerbs(
  kinds: readonly CollectedKind[],
  namespaces: readonly string[] | undefined,
  verbs: readonly string[],
): AccessPlan {
  if (namespaces === undefined) return { cluster: rulesFor(kinds, verbs), namespaced: [] };
  const own = kinds.filter(({ isNamespaced }) => isNamespaced);
  const outside = kinds.filter(({ isNamespaced, resource }) => !isNamespaced && !isNamespaces(resource));
  const cluster = rulesFor(outside, verbs);
  // A list or watch of one name by field selector counts as one of that name.
  if (namespaces.length > 0 && kinds.some(({ resource }) => isNamespaces(resource)))
    cluster.push({ apiGroups: [""], resources: ["namespaces"], resourceNames: namespaces, verbs });
  return { cluster, namespaced: rulesFor(own, verbs) };
}

function isNamespaces({ group, resource }: ResourceId): boolean {
  return group === "" && resource === "namespaces";
}

/** What is read for these kinds, each once and in order; a derived kind needs its source. */
export function readResources(kinds: readonly CollectedKind[]): readonly ResourceId[] {
  const needed = new Map(kinds.map(({ resource, from = resource }) => [resourceIdText(from), from]));
  return [...needed.values()].sort(compareResourceIds);
}

/** One rule for each API group. */
function rulesFor(kinds: readonly CollectedKind[], verbs: readonly string[]): AccessRule[] {
  const byGroup = new Map<string, string[]>();
  for (const { group, resource } of readResources(kinds)) {
    const resources = byGroup.get(group) ?? [];
    resources.push(resource);
    byGroup.set(group, resources);
  }
  return Array.from(byGroup, ([group, resources]) => ({ apiGroups: [group], resources, verbs }));
}
