// SPDX-License-Identifier: Apache-2.0
import type { Strategy } from "../resources/strategy.ts";
import { controllerRevisionStrategy } from "./apps/controller-revision.ts";
import { daemonSetStrategy } from "./apps/daemon-set.ts";
import { deploymentStrategy } from "./apps/deployment.ts";
import { replicaSetStrategy } from "./apps/replica-set.ts";
import { statefulSetStrategy } from "./apps/stateful-set.ts";
import { autoscalerStrategy, autoscalerV1Strategy } from "./autoscaling/horizontal-pod-autoscaler.ts";
import { cronJobStrategy } from "./batch/cron-job.ts";
import { jobStrategy } from "./batch/job.ts";
import { certificateSigningRequestStrategy } from "./certificates/certificate-signing-request.ts";
import { leaseStrategy } from "./coordination/lease.ts";
import { coreStrategies } from "./core/core-strategies.ts";
import { endpointSliceStrategy } from "./discovery/endpoint-slice.ts";
import { eventV1Strategy } from "./events/events-group-event.ts";
import { flowSchemaStrategy, priorityLevelStrategy } from "./flowcontrol/flowcontrol-strategies.ts";
import { ingressStrategy } from "./networking/ingress.ts";
import { ingressClassStrategy } from "./networking/ingress-class.ts";
import { networkPolicyStrategy } from "./networking/network-policy.ts";
import { runtimeClassStrategy } from "./node/runtime-class.ts";
import { podDisruptionBudgetStrategy } from "./policy/pod-disruption-budget.ts";
import { clusterRoleBindingStrategy, roleBindingStrategy } from "./rbac/rbac-bindings.ts";
import { clusterRoleStrategy, roleStrategy } from "./rbac/rbac-roles.ts";
import { priorityClassStrategy } from "./scheduling/priority-class.ts";
import { csiDriverStrategy } from "./storage/csi-driver.ts";
import { csiNodeStrategy } from "./storage/csi-node.ts";
import { csiStorageCapacityStrategy } from "./storage/csi-storage-capacity.ts";
import { storageClassStrategy } from "./storage/storage-class.ts";
import { volumeAttachmentStrategy } from "./storage/volume-attachment.ts";

/** By resource id (CO2); the core group is not here. Autoscalers are in their storage version, v2. */
const byResource: ReadonlyMap<string, Strategy> = new Map([
  ["apps/deployments", deploymentStrategy],
  ["apps/replicasets", replicaSetStrategy],
  ["apps/statefulsets", statefulSetStrategy],
  ["apps/daemonsets", daemonSetStrategy],
  ["apps/controllerrevisions", controllerRevisionStrategy],
  ["autoscaling/horizontalpodautoscalers", autoscalerStrategy],
  ["batch/jobs", jobStrategy],
  ["batch/cronjobs", cronJobStrategy],
  ["certificates.k8s.io/certificatesigningrequests", certificateSigningRequestStrategy],
  ["coordination.k8s.io/leases", leaseStrategy],
  ["discovery.k8s.io/endpointslices", endpointSliceStrategy],
  ["events.k8s.io/events", eventV1Strategy],
  ["flowcontrol.apiserver.k8s.io/flowschemas", flowSchemaStrategy],
  ["flowcontrol.apiserver.k8s.io/prioritylevelconfigurations", priorityLevelStrategy],
  ["networking.k8s.io/ingresses", ingressStrategy],
  ["networking.k8s.io/ingressclasses", ingressClassStrategy],
  ["networking.k8s.io/networkpolicies", networkPolicyStrategy],
  ["node.k8s.io/runtimeclasses", runtimeClassStrategy],
  ["policy/poddisruptionbudgets", podDisruptionBudgetStrategy],
  ["rbac.authorization.k8s.io/roles", roleStrategy],
  ["rbac.authorization.k8s.io/rolebindings", roleBindingStrategy],
  ["rbac.authorization.k8s.io/clusterroles", clusterRoleStrategy],
  ["rbac.authorization.k8s.io/clusterrolebindings", clusterRoleBindingStrategy],
  ["scheduling.k8s.io/priorityclasses", priorityClassStrategy],
  ["storage.k8s.io/storageclasses", storageClassStrategy],
  ["storage.k8s.io/csidrivers", csiDriverStrategy],
  ["storage.k8s.io/csinodes", csiNodeStrategy],
  ["storage.k8s.io/csistoragecapacities", csiStorageCapacityStrategy],
  ["storage.k8s.io/volumeattachments", volumeAttachmentStrategy],
]);

const withoutRules: Strategy = {};

/**
 * Returns the strategy of a built-in resource; an empty one if it has no rules here. `version` matters only for
 * horizontalpodautoscalers, whose v1 and v2 differ. Without it, the storage version is used.
 */
export type StrategyLookup = (group: string, resource: string, version?: string) => Strategy;

/** Creates a lookup with these strategies for the core group (`createCoreStrategies`). */
export function createStrategyLookup(core: Readonly<Record<string, Strategy>>): StrategyLookup {
  const coreByResource = new Map(Object.entries(core));
  return (group, resource, version) => {
    if (group === "") return coreByResource.get(resource) ?? withoutRules;
    if (group === "autoscaling" && resource === "horizontalpodautoscalers" && version === "v1")
      return autoscalerV1Strategy;
    return byResource.get(`${group}/${resource}`) ?? withoutRules;
  };
}

/** The strategies of a cluster with default options. */
export const strategyFor: StrategyLookup = createStrategyLookup(coreStrategies);
