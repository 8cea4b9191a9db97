// SPDX-License-Identifier: Apache-2.0
import type { Subject } from "../../model/subject.ts";
import type { Visibility } from "../../rbac/visibility.ts";
import type { ClusterGrants } from "./cluster-grants.ts";

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

/**
 * The resources of which the subject may see an object, if it exists, in the order given. For completions and catalogs:
 * it depends on rules alone, not on rows.
 */
export function visibleResources<Resource extends ListedResource>(
  access: ClusterGrants,
  subject: Subject,
  resources: readonly Resource[],
): readonly Resource[] {
  const grants = access.grantsOf(subject);
  return resources.filter((each) => restrictToScope(grants.visibilityOf(each.resource), each).kind !== "none");
}
