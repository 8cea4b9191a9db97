// SPDX-License-Identifier: Apache-2.0
// Names of operations, by which generated clients name their methods: `listCoreV1NamespacedPod`.
import type { Action } from "./operation-parameters.ts";

/** What the name of an operation is made of. */
export interface OperationName {
  readonly action: Action;
  /** As `operationGroup` gives it. */
  readonly groupVersion: string;
  /** Empty for what is in no namespace or in all of them. */
  readonly scope: string;
  /** Of the resource, also where a subresource is of another kind. */
  readonly kind: string;
  /** A subresource, or that it is about all namespaces. */
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

/** `rbacAuthorization_v1`: operations of a group and version have it in common. */
export function operationTag(groupVersion: string): string {
  const at = groupVersion.lastIndexOf("V");
  return `${groupVersion.charAt(0).toLowerCase()}${groupVersion.slice(1, at)}_${groupVersion.slice(at).toLowerCase()}`;
}

export function capitalized(word: string): string {
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
}
