// SPDX-License-Identifier: Apache-2.0
// The objects in a cluster that the hub reaches directly: an account with the rights of an agent, and its token.
import { hubGroups } from "../../rbac/hub-roles.ts";
import { viewersRoleName } from "./access-objects.ts";
import { planAccess, planViewing } from "./access-rules.ts";
import { type CollectedKind, type KubeObject, labelsOf } from "./manifest-options.ts";

/** Name of every object and of their namespace; different from those of an agent inside the cluster. */
export const importAccountName = "flotilla-import";

/**
 * A ServiceAccount with the ClusterRole of an agent, and a Secret that Kubernetes fills with its token. The token lasts
 * until the Secret or the account is deleted. An expiring token could only be renewed with the operator's credential,
 * which the hub does not keep (docs/decisions/0016). The hub's administrators may read the collected kinds too (IN31).
 */
export function createImportAccount(options: {
  readonly kinds: readonly CollectedKind[];
  /** Whether the hub's agent may impersonate users, to read single objects for them (TU8). */
  readonly objectReads: boolean;
  readonly version: string;
}): readonly KubeObject[] {
  const name = importAccountName;
  const labels = labelsOf(options);
  const rbac = "rbac.authorization.k8s.io";
  const plan = planAccess({ ...options, namespaces: [], excludeNamespaces: [], constrainedImpersonation: false });
  const here = { namespace: name, labels };
  return [
    { apiVersion: "v1", kind: "Namespace", metadata: { name, labels } },
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name, ...here } },
    { apiVersion: `${rbac}/v1`, kind: "ClusterRole", metadata: { name, labels }, rules: plan.cluster },
    {
      apiVersion: `${rbac}/v1`,
      kind: "ClusterRoleBinding",
      metadata: { name, labels },
      roleRef: { apiGroup: rbac, kind: "ClusterRole", name },
      subjects: [{ kind: "ServiceAccount", name, namespace: name }],
    },
    {
      apiVersion: `${rbac}/v1`,
      kind: "ClusterRole",
      metadata: { name: viewersRoleName, labels },
      rules: planViewing({ kinds: options.kinds, namespaces: [], excludeNamespaces: [] }).cluster,
    },
    {
      apiVersion: `${rbac}/v1`,
      kind: "ClusterRoleBinding",
      metadata: { name: viewersRoleName, labels },
      roleRef: { apiGroup: rbac, kind: "ClusterRole", name: viewersRoleName },
      subjects: [{ kind: "Group", apiGroup: rbac, name: hubGroups.admins }],
    },
    {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: `${name}-token`, annotations: { "kubernetes.io/service-account.name": name }, ...here },
      type: "kubernetes.io/service-account-token",
    },
  ];
}
