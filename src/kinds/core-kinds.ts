// SPDX-License-Identifier: Apache-2.0
import { configMapKind } from "./config-map.ts";
import { cronJobKind } from "./cron-job.ts";
import { customResourceDefinitionKind } from "./custom-resource-definition.ts";
import { daemonSetKind } from "./daemon-set.ts";
import { deploymentKind } from "./deployment.ts";
import { endpointSliceKind } from "./endpoint-slice.ts";
import { eventKind } from "./event.ts";
import { horizontalPodAutoscalerKind } from "./horizontal-pod-autoscaler.ts";
import { ingressKind } from "./ingress.ts";
import { jobKind } from "./job.ts";
import type { Kind } from "./kind.ts";
import { namespaceKind } from "./namespace.ts";
import { nodeKind } from "./node.ts";
import { persistentVolumeKind } from "./persistent-volume.ts";
import { persistentVolumeClaimKind } from "./persistent-volume-claim.ts";
import { podKind } from "./pod.ts";
import { podDisruptionBudgetKind } from "./pod-disruption-budget.ts";
import { clusterRoleBindingKind, roleBindingKind } from "./rbac-bindings.ts";
import { clusterRoleKind, roleKind } from "./rbac-roles.ts";
import { replicaSetKind } from "./replica-set.ts";
import { serviceKind } from "./service.ts";
import { statefulSetKind } from "./stateful-set.ts";

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
