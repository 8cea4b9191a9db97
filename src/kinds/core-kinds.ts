// SPDX-License-Identifier: Apache-2.0
import { configMapKind } from "./config-map-kind.ts";
import { cronJobKind } from "./cron-job-kind.ts";
import { customResourceDefinitionKind } from "./custom-resource-definition-kind.ts";
import { daemonSetKind } from "./daemon-set-kind.ts";
import { deploymentKind } from "./deployment-kind.ts";
import { endpointSliceKind } from "./endpoint-slice-kind.ts";
import { eventKind } from "./event-kind.ts";
import { horizontalPodAutoscalerKind } from "./horizontal-pod-autoscaler-kind.ts";
import { ingressKind } from "./ingress-kind.ts";
import { jobKind } from "./job-kind.ts";
import type { Kind } from "./kind.ts";
import { namespaceKind } from "./namespace-kind.ts";
import { nodeKind } from "./node-kind.ts";
import { persistentVolumeClaimKind } from "./persistent-volume-claim-kind.ts";
import { persistentVolumeKind } from "./persistent-volume-kind.ts";
import { podDisruptionBudgetKind } from "./pod-disruption-budget-kind.ts";
import { podKind } from "./pod-kind.ts";
import { clusterRoleBindingKind, roleBindingKind } from "./rbac-binding-kinds.ts";
import { clusterRoleKind, roleKind } from "./rbac-role-kinds.ts";
import { replicaSetKind } from "./replica-set-kind.ts";
import { serviceKind } from "./service-kind.ts";
import { statefulSetKind } from "./stateful-set-kind.ts";

/** RBAC's four kinds. Nothing of a cluster is visible before they are complete (L2). */
export const rbacKinds: readonly Kind[] = [clusterRoleKind, clusterRoleBindingKind, roleKind, roleBindingKind];

/**
 * The default kinds of Kubernetes itself, in the order in which they are collected. Secrets are not among them (L18).
 */
export const coreKinds: readonly Kind[] = [
  ...rbacKinds,
  namespaceKind,
  nodeKind,
  customResourceDefinitionKind,
  podKind,
  serviceKind,
  endpointSliceKind,
  deploymentKind,
  statefulSetKind,
  daemonSetKind,
  replicaSetKind,
  jobKind,
  cronJobKind,
  ingressKind,
  horizontalPodAutoscalerKind,
  podDisruptionBudgetKind,
  persistentVolumeClaimKind,
  persistentVolumeKind,
  configMapKind,
  eventKind,
];

/** Resources of the core group that have no file of their own. The group has gained no other resource since 2018. */
export const coreResources: readonly string[] = [
  "componentstatuses",
  "endpoints",
  "limitranges",
  "podtemplates",
  "replicationcontrollers",
  "resourcequotas",
  "serviceaccounts",
];
