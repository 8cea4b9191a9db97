// SPDX-License-Identifier: Apache-2.0
// The tables of all kinds, by resource.
import { resourceIdText } from "../../model/gvr.ts";
import { applicationKind } from "../argo/application-kind.ts";
import { configMapKind } from "../config-map-kind.ts";
import { cronJobKind } from "../cron-job-kind.ts";
import { customResourceDefinitionKind } from "../custom-resource-definition-kind.ts";
import { daemonSetKind } from "../daemon-set-kind.ts";
import { deploymentKind } from "../deployment-kind.ts";
import { endpointSliceKind } from "../endpoint-slice-kind.ts";
import { eventKind } from "../event-kind.ts";
import { helmReleaseKind } from "../flux/helm-release-kind.ts";
import { kustomizationKind } from "../flux/kustomization-kind.ts";
import {
  bucketKind,
  gitRepositoryKind,
  helmChartKind,
  helmRepositoryKind,
  ociRepositoryKind,
} from "../flux/source-kinds.ts";
import { gatewayClassKind } from "../gateway-api/gateway-class-kind.ts";
import { gatewayKind } from "../gateway-api/gateway-kind.ts";
import { grpcRouteKind, httpRouteKind } from "../gateway-api/route-kinds.ts";
import { horizontalPodAutoscalerKind } from "../horizontal-pod-autoscaler-kind.ts";
import { ingressKind } from "../ingress-kind.ts";
import { authorizationPolicyKind } from "../istio/authorization-policy-kind.ts";
import { istioControlPlaneKind } from "../istio/control-plane.ts";
import { destinationRuleKind } from "../istio/destination-rule-kind.ts";
import { peerAuthenticationKind } from "../istio/peer-authentication-kind.ts";
import { serviceEntryKind } from "../istio/service-entry-kind.ts";
import { virtualServiceKind } from "../istio/virtual-service-kind.ts";
import { jobKind } from "../job-kind.ts";
import type { Kind } from "../kind.ts";
import { namespaceKind } from "../namespace-kind.ts";
import { nodeKind } from "../node-kind.ts";
import { persistentVolumeClaimKind } from "../persistent-volume-claim-kind.ts";
import { persistentVolumeKind } from "../persistent-volume-kind.ts";
import { podDisruptionBudgetKind } from "../pod-disruption-budget-kind.ts";
import { podKind } from "../pod-kind.ts";
import { clusterRoleBindingKind, roleBindingKind } from "../rbac-binding-kinds.ts";
import { clusterRoleKind, roleKind } from "../rbac-role-kinds.ts";
import { replicaSetKind } from "../replica-set-kind.ts";
import { secretKind } from "../secret-kind.ts";
import { serviceKind } from "../service-kind.ts";
import { statefulSetKind } from "../stateful-set-kind.ts";
import { applicationTable } from "./argo-tables.ts";
import { cronJobTable, jobTable } from "./batch-tables.ts";
import { configMapTable, createdAtTable, namespaceTable, secretTable } from "./core-tables.ts";
import { eventTable } from "./event-table.ts";
import { bucketTable, fluxApplyTable, fluxUrlTable, helmChartTable, ociRepositoryTable } from "./flux-tables.ts";
import { gatewayClassTable, gatewayTable, hostnameRouteTable } from "./gateway-api-tables.ts";
import {
  authorizationPolicyTable,
  controlPlaneTable,
  destinationRuleTable,
  peerAuthenticationTable,
  serviceEntryTable,
  virtualServiceTable,
} from "./istio-tables.ts";
import { endpointSliceTable, ingressTable, serviceTable } from "./network-tables.ts";
import { nodeTable } from "./node-table.ts";
import { podTable } from "./pod-table.ts";
import { autoscalerTable, disruptionBudgetTable, roleBindingTable } from "./policy-tables.ts";
import { ageColumn, createRowTable, customAgeColumn, nameColumn } from "./printed-columns.ts";
import type { RowTableDefinition } from "./row-table-definition.ts";
import { persistentVolumeClaimTable, persistentVolumeTable } from "./storage-tables.ts";
import { daemonSetTable, deploymentTable, replicaSetTable, statefulSetTable } from "./workload-tables.ts";

export type { RowTableColumn, RowTableDefinition } from "./row-table-definition.ts";

const tables: readonly (readonly [Pick<Kind, "resource">, RowTableDefinition])[] = [
  [podKind, podTable],
  [deploymentKind, deploymentTable],
  [replicaSetKind, replicaSetTable],
  [statefulSetKind, statefulSetTable],
  [daemonSetKind, daemonSetTable],
  [jobKind, jobTable],
  [cronJobKind, cronJobTable],
  [serviceKind, serviceTable],
  [endpointSliceKind, endpointSliceTable],
  [ingressKind, ingressTable],
  [nodeKind, nodeTable],
  [namespaceKind, namespaceTable],
  [configMapKind, configMapTable],
  [secretKind, secretTable],
  [persistentVolumeKind, persistentVolumeTable],
  [persistentVolumeClaimKind, persistentVolumeClaimTable],
  [horizontalPodAutoscalerKind, autoscalerTable],
  [podDisruptionBudgetKind, disruptionBudgetTable],
  [eventKind, eventTable],
  [roleKind, createdAtTable],
  [clusterRoleKind, createdAtTable],
  [customResourceDefinitionKind, createdAtTable],
  [roleBindingKind, roleBindingTable],
  [clusterRoleBindingKind, roleBindingTable],
  [kustomizationKind, fluxApplyTable],
  [helmReleaseKind, fluxApplyTable],
  [gitRepositoryKind, fluxUrlTable],
  [helmRepositoryKind, fluxUrlTable],
  [ociRepositoryKind, ociRepositoryTable],
  [bucketKind, bucketTable],
  [helmChartKind, helmChartTable],
  [virtualServiceKind, virtualServiceTable],
  [destinationRuleKind, destinationRuleTable],
  [serviceEntryKind, serviceEntryTable],
  [peerAuthenticationKind, peerAuthenticationTable],
  [authorizationPolicyKind, authorizationPolicyTable],
  [istioControlPlaneKind, controlPlaneTable],
  [gatewayClassKind, gatewayClassTable],
  [gatewayKind, gatewayTable],
  [httpRouteKind, hostnameRouteTable],
  [grpcRouteKind, hostnameRouteTable],
  [applicationKind, applicationTable],
];

const byResource: ReadonlyMap<string, RowTableDefinition> = new Map(
  tables.map(([{ resource }, table]) => [resourceIdText(resource), table]),
);

const builtInTable = createRowTable([nameColumn, ageColumn]);
const customTable = createRowTable([nameColumn, customAgeColumn]);

/**
 * The table of a resource, `apps/deployments`, as `kubectl get` prints it (KI30). A resource without a table of its own
 * has name and age: rows do not hold the columns that other definitions add. Custom resources always have a group with
 * a dot.
 */
export function tableOf(resource: string): RowTableDefinition {
  return byResource.get(resource) ?? (/^[^/]*\.[^/]*\//.test(resource) ? customTable : builtInTable);
}
