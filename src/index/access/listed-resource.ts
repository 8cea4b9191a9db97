// SPDX-License-Identifier: Apache-2.0
import type { Visibility } from "../../rbac/visibility.ts";

/** A resource of which a cluster has rows. */
export interface ListedResource {
  /** `apps/deployments`, `pods`. */
  readonly resource: string;
  /** Undefined if it is not known. */
  readonly isNamespaced?: boolean | undefined;
}

/**
 * The part of a visibility that objects of the resource can have: a RoleBinding shows no cluster-scoped object but a
 * Namespace.
 */
export function restrictToScope(visibility: Visibility, { resource, isNamespaced }: ListedResource): Visibility {
  const isClusterScoped = isNamespaced === false || resource === "namespaces";
  if (visibility.kind !== "some" || !isClusterScoped) return visibility;
  const { names, namespaceObjects } = visibility;
  if (names.size + namespaceObjects.size === 0) return { kind: "none" };
  return { kind: "some", names, namespaces: new Set(), namesIn: new Map(), namespaceObjects };
}
