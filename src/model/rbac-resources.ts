// SPDX-License-Identifier: Apache-2.0

/**
 * The four RBAC resources, as text. The visibility of all other rows of a cluster depends on them: they change together
 * and first (L2), and while they are unknown or too old no row is shown (L17). No order.
 */
export const rbacResources: readonly string[] = ["clusterrolebindings", "clusterroles", "rolebindings", "roles"].map(
  (resource) => `rbac.authorization.k8s.io/${resource}`,
);

/**
 * True for RBAC kinds. Their changes are sent together and before all others, so that no row is shown under grants of
 * another time (L2, SE16).
 */
export function isRbacResource(resource: string): boolean {
  return rbacResources.includes(resource);
}
