// SPDX-License-Identifier: Apache-2.0
// The least rights of an agent: to read the collected kinds and, if enabled, to impersonate users and to review their
// access.
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

/** Full read access: `get` for one object, `list` and `watch` for all. */
const readVerbs = ["get", "list", "watch"] as const;

/** Reading a single object as a user, in the verbs of Kubernetes 1.36. */
const actingVerbs = ["impersonate-on:user-info:get"] as const;

/** The cluster's identity (the UID of kube-system), its version, its liveness, and discovery. */
const selfRules: readonly AccessRule[] = [
  { apiGroups: [""], resources: ["namespaces"], resourceNames: ["kube-system"], verbs: ["get"] },
  { nonResourceURLs: ["/api", "/api/*", "/apis", "/apis/*", "/livez", "/version"], verbs: ["get"] },
];

/** The rules by scope. */
export interface AccessPlan {
  /** In the whole cluster. */
  readonly cluster: readonly AccessRule[];
  /** In each namespace that collection is limited to; empty without a limit. */
  readonly namespaced: readonly AccessRule[];
}

/**
 * The namespaces that collection is limited to, sorted; undefined without a limit. As in the agent, exclusion wins over
 * inclusion.
 */
export function limitedNamespaces({
  namespaces,
  excludeNamespaces,
}: Pick<AgentManifestOptions, "namespaces" | "excludeNamespaces">): readonly string[] | undefined {
  if (namespaces.length === 0) return undefined;
  return [...new Set(namespaces)].filter((name) => !excludeNamespaces.includes(name)).sort(compareUtf8);
}

/** The options that determine an agent's rights. */
export type AccessOptions = Pick<
  AgentManifestOptions,
  "namespaces" | "excludeNamespaces" | "kinds" | "objectReads" | "constrainedImpersonation" | "accessReviews"
>;

/** All rights of an agent. If collection is limited to namespaces, namespaced kinds are granted there only. */
export function planAccess(options: AccessOptions): AccessPlan {
  const namespaces = limitedNamespaces(options);
  const reading = planVerbs(options.kinds, namespaces, readVerbs);
  const acting = planActing(options, namespaces);
  return {
    cluster: [...selfRules, ...reading.cluster, ...acting.cluster, ...planReviews(options)],
    namespaced: [...reading.namespaced, ...acting.namespaced],
  };
}

/** Reading of the collected kinds, for groups of the hub (IN31). A list of Secrets has their values, so none is granted. */
export function planViewing(options: Pick<AccessOptions, "namespaces" | "excludeNamespaces" | "kinds">): AccessPlan {
  const shown = options.kinds.filter(({ resource }) => resourceIdText(resource) !== "secrets");
  return planVerbs(shown, limitedNamespaces(options), readVerbs);
}

/**
 * Reviews of access (SE63): the right to ask the API server what any user may do. It changes nothing and reads no
 * object. Reviews of the agent's own rights need no rule: every authenticated user has them by `system:basic-user`.
 */
function planReviews({ accessReviews = true }: AccessOptions): readonly AccessRule[] {
  if (!accessReviews) return [];
  return [{ apiGroups: ["authorization.k8s.io"], resources: ["subjectaccessreviews"], verbs: ["create"] }];
}

/**
 * Impersonation of users (TU8). The verb `impersonate` allows acting as any user with all of that user's rights.
 * Kubernetes 1.36 and later can limit it to `get` on the collected kinds, except Secrets (TU7), and on `/livez`.
 * `/livez` distinguishes a refusal of the agent from one of the user.
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

/** These verbs on every resource that is read for these kinds. */
function planVerbs(
  kinds: readonly CollectedKind[],
  namespaces: readonly string[] | undefined,
  verbs: readonly string[],
): AccessPlan {
  if (namespaces === undefined) return { cluster: rulesFor(kinds, verbs), namespaced: [] };
  const own = kinds.filter(({ isNamespaced }) => isNamespaced);
  const outside = kinds.filter(({ isNamespaced, resource }) => !isNamespaced && !isNamespaces(resource));
  const cluster = rulesFor(outside, verbs);
  // RBAC treats a list or watch with a field selector for one name as a request for that name.
  if (namespaces.length > 0 && kinds.some(({ resource }) => isNamespaces(resource)))
    cluster.push({ apiGroups: [""], resources: ["namespaces"], resourceNames: namespaces, verbs });
  return { cluster, namespaced: rulesFor(own, verbs) };
}

function isNamespaces({ group, resource }: ResourceId): boolean {
  return group === "" && resource === "namespaces";
}

/** The resources that are read for these kinds, each once, sorted. A derived kind needs its source. */
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
