// SPDX-License-Identifier: Apache-2.0
// What a cluster holds that a hub reaches by itself: an account with the rights of an agent, and its token.
import { planAccess } from "./access-rules.ts";
import { type CollectedKind, type KubeObject, labelsOf } from "./manifest-options.ts";

/** The name of every object, and of the namespace that they lie in: apart from those of an agent in the cluster. */
export const importAccountName = "flotilla-import";

/**
 * A ServiceAccount with the ClusterRole of an agent, and a Secret that Kubernetes fills with its token. The token lasts until the Secret or the account is deleted: nobody is
 * there to renew one that expires, since the credential that could is the operator's and stays with the operator (docs/decisions/0016).
 */
export function createImportAccount(options: {
  readonly kinds: readonly CollectedKind[];
  /** Whether the hub's agent may act for users, to read single objects for them (TU8). */
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
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: `${name}-token`, annotations: { "kubernetes.io/service-account.name": name }, ...here },
      type: "kubernetes.io/service-account-token",
    },
  ];
}
