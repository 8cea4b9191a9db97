// SPDX-License-Identifier: Apache-2.0
import type { Gvr } from "../../../model/gvr.ts";
import type { Followed } from "../kube-resource-path.ts";

/** Selects the namespaces to collect (N-59). Neither: all. Both: the included ones that are not excluded. */
export interface NamespaceFilter {
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
}

/** The requests for a kind: one for the whole kind, or one for each of these namespaces (possibly none). */
export type ScopePlan =
  | { readonly kind: "whole"; readonly followed: Followed }
  | { readonly kind: "namespaces"; readonly names: readonly string[] };

function isNamespaces({ group, resource }: Gvr): boolean {
  return group === "" && resource === "namespaces";
}

/** The scope of one namespace's part of a resource. For the resource `namespaces` it is the namespace of this name. */
export function followedOf(resource: Gvr, namespace: string): Followed {
  if (isNamespaces(resource)) return { resource, fieldSelector: `metadata.name=${namespace}` };
  return { resource, namespace };
}

/** Whether the filter includes this namespace. */
export function isIncluded({ include, exclude = [] }: NamespaceFilter, namespace: string): boolean {
  return !exclude.includes(namespace) && (include?.includes(namespace) ?? true);
}

/**
 * Applies the filter to the requests (KU19). Each included namespace gets its own request. Exclusion is a field
 * selector on one request: every resource supports `metadata.namespace`, so the server omits excluded objects from
 * lists and watches. A request per remaining namespace would need a watch each, and the permission to list namespaces.
 * Resources without namespaces, except the namespaces themselves, are not filtered.
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
