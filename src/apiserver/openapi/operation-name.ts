// SPDX-License-Identifier: Apache-2.0
// Names of operations, from which generated clients derive their methods: `listCoreV1NamespacedPod`.
import type { Action } from "./operation-parameters.ts";

/** The parts of an operation's name. */
export interface OperationName {
  readonly action: Action;
  /** From `operationGroup`. */
  readonly groupVersion: string;
  /** Empty for cluster-wide operations and those on all namespaces. */
  readonly scope: string;
  /** The resource's kind, even if a subresource has another one. */
  readonly kind: string;
  /** The subresource, or `ForAllNamespaces`. */
  readonly suffix?: string;
}

const verbs: Readonly<Record<Action, string>> = {
  get: "read",
  list: "list",
  post: "create",
  put: "replace",
  patch: "patch",
  delete: "delete",
  deletecollection: "delete",
};

/** `RbacAuthorizationV1`, `CoreV1`, `StableExampleComV1`. */
export function operationGroup(group: string, version: string): string {
  const words = (group === "" ? "core" : group.replace(/\.k8s\.io$/, "")).split(/[^A-Za-z0-9]/);
  return [...words, version].map(capitalized).join("");
}

export function operationId({ action, groupVersion, scope, kind, suffix = "" }: OperationName): string {
  const collection = action === "deletecollection" ? "Collection" : "";
  return `${verbs[action]}${groupVersion}${collection}${scope}${kind}${suffix}`;
}

/** `rbacAuthorization_v1`: the common tag of a group and version's operations. */
export function operationTag(groupVersion: string): string {
  const at = groupVersion.lastIndexOf("V");
  return `${groupVersion.charAt(0).toLowerCase()}${groupVersion.slice(1, at)}_${groupVersion.slice(at).toLowerCase()}`;
}

export function capitalized(word: string): string {
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
}
