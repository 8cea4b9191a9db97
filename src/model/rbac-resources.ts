// SPDX-License-Identifier: Apache-2.0

/**
 * The four resources that grant, as text. What others of a cluster are shown depends on them: they change together and first (L2), and
 * while they are unknown or too old no row is shown (L17). No order between them.
 */
export const rbacResources: readonly string[] = ["clusterrolebindings", "clusterroles", "rolebindings", "roles"].map(
  (resource) => `rbac.authorization.k8s.io/${resource}`,
);
