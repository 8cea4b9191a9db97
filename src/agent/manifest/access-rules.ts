// SPDX-License-Identifier: Apache-2.0
// What an agent has to be allowed: to read what it collects, and nothing else.
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

/** The rights for these kinds. Where collection is limited to namespaces, what lies in namespaces is granted there only. */
export function planAccess(kinds: readonly CollectedKind[], namespaces: readonly string[] | undefined): AccessPlan {
  if (namespaces === undefined) return { cluster: [...selfRules, ...readRules(kinds)], namespaced: [] };
  const own = kinds.filter(({ isNamespaced }) => isNamespaced);
  const outside = kinds.filter(({ isNamespaced, resource }) => !isNamespaced && !isNamespaces(resource));
  const cluster = [...selfRules, ...readRules(outside)];
  // A list or watch of one name by field selector counts as one of that name.
  if (namespaces.length > 0 && kinds.some(({ resource }) => isNamespaces(resource)))
    cluster.push({ apiGroups: [""], resources: ["namespaces"], resourceNames: namespaces, verbs: readVerbs });
  return { cluster, namespaced: readRules(own) };
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
function readRules(kinds: readonly CollectedKind[]): AccessRule[] {
  const byGroup = new Map<string, string[]>();
  for (const { group, resource } of readResources(kinds)) {
    const resources = byGroup.get(group) ?? [];
    resources.push(resource);
    byGroup.set(group, resources);
  }
  return Array.from(byGroup, ([group, resources]) => ({ apiGroups: [group], resources, verbs: readVerbs }));
}
