// SPDX-License-Identifier: Apache-2.0
import type { Gvr } from "../../../model/gvr.ts";
import type { Followed } from "../kube-resource-path.ts";

/** Which namespaces are collected (N-59). Neither: all. Both: those included that are not excluded. */
export interface NamespaceFilter {
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
}

/** What a kind is followed by: requests for all of it, one for each of these namespaces, or nothing as none is left. */
export type ScopePlan =
  | { readonly kind: "whole"; readonly followed: Followed }
  | { readonly kind: "namespaces"; readonly names: readonly string[] };

function isNamespaces({ group, resource }: Gvr): boolean {
  return group === "" && resource === "namespaces";
}

/** What follows one namespace's share of a resource; of the namespaces themselves that is the one of this name. */
export function followedOf(resource: Gvr, namespace: string): Followed {
  if (isNamespaces(resource)) return { resource, fieldSelector: `metadata.name=${namespace}` };
  return { resource, namespace };
}

/** True where the filter lets this namespace through. */
export function isIncluded({ include, exclude = [] }: NamespaceFilter, namespace: string): boolean {
  return !exclude.includes(namespace) && (include?.includes(namespace) ?? true);
}

/**
 * Puts the filter into the requests (KU19). Included namespaces are asked for one by one. Exclusion is a field selector on one request: every resource
 * has `metadata.namespace` to select by, so the server leaves excluded objects out of lists and watches and no byte of them is sent; a request for each other namespace would cost
 * a watch for each and the right to list namespaces. Resources without namespace, the namespaces themselves apart, have nothing to filter.
 */
export function planScope(resource: Gvr, isNamespaced: boolean, filter: NamespaceFilter): ScopePlan {
  const { include, exclude = [] } = filter;
  if (!isNamespaced && !isNamespaces(resource)) return { kind: "whole", followed: { resource } };
  if (include !== undefined) {
    return { kind: "namespaces", names: [...new Set(include)].filter((name) => isIncluded(filter, name)) };
  }
  if (exclude.length === 0) return { kind: "whole", followed: { resource } };
  const field = isNamespaced ? "metadata.namespace" : "metadata.name";
  const fieldSelector = exclude.map((name) => `${field}!=${name}`).join(",");
  return { kind: "whole", followed: { resource, fieldSelector } };
}
