// SPDX-License-Identifier: Apache-2.0
import { agentKeySecretName } from "../identity/secret-identity-store.ts";
import { type AccessRule, limitedNamespaces, planAccess } from "./access-rules.ts";
import { type AgentManifestOptions, agentName, agentNamespace, type KubeObject, labelsOf } from "./manifest-options.ts";

const rbacVersion = "rbac.authorization.k8s.io/v1";
const rbacGroup = "rbac.authorization.k8s.io";
const keyRoleName = `${agentName}-key`;
const namespacedRoleName = `${agentName}-namespaced`;
const kindsRoleName = `${agentName}-kinds`;

/** A ClusterRole with this label set to "true" grants its rules to agents that follow kinds by a pattern. */
const aggregateLabel = "flotilla.dev/aggregate-to-agent";

/**
 * The agent's ServiceAccount and its rights: reading the collected kinds, impersonation if enabled, and its key Secret.
 */
export function createAccessObjects(options: AgentManifestOptions): readonly KubeObject[] {
  const labels = labelsOf(options);
  const here = { namespace: agentNamespace, labels };
  const namespaces = limitedNamespaces(options);
  const plan = planAccess(options);
  const objects: KubeObject[] = [
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: agentName, ...here } },
    role("ClusterRole", { name: agentName, labels }, plan.cluster),
    binding("ClusterRoleBinding", { name: agentName, labels }, { kind: "ClusterRole", name: agentName }),
    role("Role", { name: keyRoleName, ...here }, keyRules),
    binding("RoleBinding", { name: keyRoleName, ...here }, { kind: "Role", name: keyRoleName }),
  ];
  if (options.readsAsViewer) objects.push(...viewerObjects(labels, namespaces));
  if (namespaces === undefined || plan.namespaced.length === 0) return objects;
  objects.push(role("ClusterRole", { name: namespacedRoleName, labels }, plan.namespaced));
  for (const namespace of namespaces) {
    const metadata = { name: namespacedRoleName, namespace, labels };
    objects.push(binding("RoleBinding", metadata, { kind: "ClusterRole", name: namespacedRoleName }));
  }
  return objects;
}

/**
 * The rights of the cluster's viewers: Kubernetes fills the rules from every ClusterRole with one of these labels.
 * Manifests of operators use the first to add their kinds to the role `view`, which has no Secrets. The second is for
 * kinds that no such role grants (KI27).
 */
function viewerObjects(
  labels: Readonly<Record<string, string>>,
  namespaces: readonly string[] | undefined,
): readonly KubeObject[] {
  const to = { kind: "ClusterRole", name: kindsRoleName } as const;
  const selectors = ["rbac.authorization.k8s.io/aggregate-to-view", aggregateLabel];
  const aggregated = {
    ...role("ClusterRole", { name: kindsRoleName, labels }, []),
    aggregationRule: { clusterRoleSelectors: selectors.map((label) => ({ matchLabels: { [label]: "true" } })) },
  };
  if (namespaces === undefined) return [aggregated, binding("ClusterRoleBinding", { name: kindsRoleName, labels }, to)];
  const bindings = namespaces.map((namespace) =>
    binding("RoleBinding", { name: kindsRoleName, namespace, labels }, to),
  );
  return [aggregated, ...bindings];
}

/** RBAC cannot limit `create` to a name: the object has none yet when the request is authorized. */
const keyRules: readonly AccessRule[] = [
  { apiGroups: [""], resources: ["secrets"], resourceNames: [agentKeySecretName], verbs: ["get", "update"] },
  { apiGroups: [""], resources: ["secrets"], verbs: ["create"] },
];

function role(
  kind: "Role" | "ClusterRole",
  metadata: KubeObject["metadata"],
  rules: readonly AccessRule[],
): KubeObject & { readonly rules: readonly AccessRule[] } {
  return { apiVersion: rbacVersion, kind, metadata, rules };
}

function binding(
  kind: "RoleBinding" | "ClusterRoleBinding",
  metadata: KubeObject["metadata"],
  to: { readonly kind: "Role" | "ClusterRole"; readonly name: string },
): KubeObject {
  return {
    apiVersion: rbacVersion,
    kind,
    metadata,
    roleRef: { apiGroup: rbacGroup, ...to },
    subjects: [{ kind: "ServiceAccount", name: agentName, namespace: agentNamespace }],
  };
}
