// SPDX-License-Identifier: Apache-2.0

/** The kinds that grant: their changes go together and before all others, so that no row is seen by grants of another moment (L2, SE16). */
const rbacResources: ReadonlySet<string> = new Set(
  ["clusterroles", "clusterrolebindings", "roles", "rolebindings"].map(
    (resource) => `rbac.authorization.k8s.io/${resource}`,
  ),
);

/** True for the text of one of the four RBAC resources. */
export function isRbacResource(resource: string): boolean {
  return rbacResources.has(resource);
}
