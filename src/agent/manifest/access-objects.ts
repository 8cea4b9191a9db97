// SPDX-License-Identifier: Apache-2.0

import { hubGroups } from "../../rbac/hub-roles.ts";
import { agentKeySecretName } from "../identity/secret-identity-store.ts";
import { type AccessRule, limitedNamespaces, planAccess, planViewing } from "./access-rules.ts";
import { type AgentManifestOptions, agentName, agentNamespace, type KubeObject, labelsOf } from "./manifest-options.ts";

const rbacVersion = "rbac.authorization.k8s.io/v1";
const rbacGroup = "rbac.authorization.k8s.io";
const keyRoleName = `${agentName}-key`;
const namespacedRoleName = `${agentName}-namespaced`;
const kindsRoleName = `${agentName}-kinds`;

/** The ClusterRole of the hub's groups that may read what the agent collects. */
export const viewersRoleName = "flotilla-viewers";

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
  objects.push(...groupObjects(options, labels));
  if (namespaces === undefined || plan.namespaced.length === 0) return objects;
  objects.push(role("ClusterRole", { name: namespacedRoleName, labels }, plan.namespaced));
  for (const namespace of namespaces) {
    const metadata = { name: namespacedRoleName, namespace, labels };
    objects.push(binding("RoleBinding", metadata, { kind: "ClusterRole", name: namespacedRoleName }));
  }
  return objects;
}

/** Groups of the hub read what the agent collects, so that they see its rows (IN31). */
function groupObjects(options: AgentManifestOptions, labels: Readonly<Record<string, string>>): readonly KubeObject[] {
  const { viewerGroups = [hubGroups.admins] } = options;
  if (viewerGroups.length === 0) return [];
  const subjects = viewerGroups.map((name) => ({ kind: "Group", apiGroup: rbacGroup, name }));
  const to = { kind: "ClusterRole", name: viewersRoleName } as const;
  const plan = planViewing(options);
  const objects: KubeObject[] = [];
  if (plan.cluster.length > 0)
    objects.push(
      role("ClusterRole", { name: viewersRoleName, labels }, plan.cluster),
      binding("ClusterRoleBinding", { name: viewersRoleName, labels }, to, subjects),
    );
  const namespaces = limitedNamespaces(options);
  if (options.readsAsViewer) objects.push(...bindKinds(`${viewersRoleName}-kinds`, labels, { namespaces, subjects }));
  if (plan.namespaced.length === 0) return objects;
  const inside = { kind: "ClusterRole", name: `${viewersRoleName}-namespaced` } as const;
  objects.push(role("ClusterRole", { name: inside.name, labels }, plan.namespaced));
  for (const namespace of namespaces ?? [])
    objects.push(binding("RoleBinding", { name: inside.name, namespace, labels }, inside, subjects));
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
  const selectors = ["rbac.authorization.k8s.io/aggregate-to-view", aggregateLabel];
  const aggregated = {
    ...role("ClusterRole", { name: kindsRoleName, labels }, []),
    aggregationRule: { clusterRoleSelectors: selectors.map((label) => ({ matchLabels: { [label]: "true" } })) },
  };
  return [aggregated, ...bindKinds(kindsRoleName, labels, { namespaces })];
}

/** Grants the role of the cluster's viewers, in the whole cluster or in these namespaces. */
function bindKinds(
  name: string,
  labels: Readonly<Record<string, string>>,
  to: { readonly namespaces: readonly string[] | undefined; readonly subjects?: readonly object[] },
): readonly KubeObject[] {
  const role = { kind: "ClusterRole", name: kindsRoleName } as const;
  const { namespaces, subjects } = to;
  if (namespaces === undefined) return [binding("ClusterRoleBinding", { name, labels }, role, subjects)];
  return namespaces.map((namespace) => binding("RoleBinding", { name, namespace, labels }, role, subjects));
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
  subjects: readonly object[] = [{ kind: "ServiceAccount", name: agentName, namespace: agentNamespace }],
): KubeObject {
  return {
    apiVersion: rbacVersion,
    kind,
    metadata,
    roleRef: { apiGroup: rbacGroup, ...to },
    subjects,
  };
}
