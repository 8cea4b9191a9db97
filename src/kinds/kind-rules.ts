// SPDX-License-Identifier: Apache-2.0
// The RBAC rules that kinds selected by patterns need (KI27).
import { compareResourceIds, type ResourceId, resourceIdText } from "../model/gvr.ts";
import type { OtherKinds } from "./choose-kinds.ts";
import { coreResources } from "./core-kinds.ts";
import { isWholeGroup, matchesPattern } from "./kind-pattern.ts";

/** The groups that every API server serves, except the core group. None of them holds credentials. */
const builtInGroups = [
  "admissionregistration.k8s.io",
  "apiextensions.k8s.io",
  "apiregistration.k8s.io",
  "apps",
  "autoscaling",
  "batch",
  "certificates.k8s.io",
  "discovery.k8s.io",
  "flowcontrol.apiserver.k8s.io",
  "networking.k8s.io",
  "node.k8s.io",
  "policy",
  "resource.k8s.io",
  "scheduling.k8s.io",
  "storage.k8s.io",
];

/** The permissions that kinds without a file of their own need. */
export interface KindRules {
  /** The resources that rules can name. A resource `*` covers its whole group. */
  readonly resources: readonly ResourceId[];
  /** Whether a pattern also covers groups whose names are unknown until they are installed. */
  readonly meansUnknownGroups: boolean;
}

/**
 * RBAC supports names and `*`, and cannot exclude a resource. So the core group, which holds Secrets, is always granted
 * by name.
 */
export function planKindRules({ named, patterns, wants }: OtherKinds): KindRules {
  const groups = patterns.filter(isWholeGroup);
  const core = coreResources.map((resource) => ({ group: "", resource })).filter(wants);
  const open = patterns.filter((each) => !isWholeGroup(each));
  const builtIn = builtInGroups
    .map((group) => ({ group, resource: "*" }))
    .filter((each) => open.some((pattern) => pattern.resource === "*" && matchesPattern(pattern, each)));
  const all = new Map([...named, ...groups, ...core, ...builtIn].map((each) => [resourceIdText(each), each]));
  return { resources: [...all.values()].sort(compareResourceIds), meansUnknownGroups: open.length > 0 };
}
