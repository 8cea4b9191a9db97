// SPDX-License-Identifier: Apache-2.0
import type { Strategy } from "../resources/strategy.ts";
import { appsStrategies } from "./apps/apps-strategies.ts";
import { autoscalingStrategies } from "./autoscaling/autoscaling-strategies.ts";
import { autoscalerV1Strategy } from "./autoscaling/horizontal-pod-autoscaler.ts";
import { batchStrategies } from "./batch/batch-strategies.ts";
import { certificatesStrategies } from "./certificates/certificate-signing-request.ts";
import { coordinationStrategies } from "./coordination/coordination-strategies.ts";
import { coreStrategies } from "./core/core-strategies.ts";
import { discoveryStrategies } from "./discovery/discovery-strategies.ts";
import { eventsStrategies } from "./events/events-strategies.ts";
import { flowcontrolStrategies } from "./flowcontrol/flowcontrol-strategies.ts";
import { networkingStrategies } from "./networking/networking-strategies.ts";
import { nodeStrategies } from "./node/runtime-class.ts";
import { policyStrategies } from "./policy/policy-strategies.ts";
import { rbacStrategies } from "./rbac/rbac-strategies.ts";
import { schedulingStrategies } from "./scheduling/scheduling-strategies.ts";
import { storageStrategies } from "./storage/storage-strategies.ts";

const byGroup: ReadonlyMap<string, ReadonlyMap<string, Strategy>> = new Map([
  ["apps", appsStrategies],
  ["autoscaling", autoscalingStrategies],
  ["batch", batchStrategies],
  ["certificates.k8s.io", certificatesStrategies],
  ["coordination.k8s.io", coordinationStrategies],
  ["discovery.k8s.io", discoveryStrategies],
  ["events.k8s.io", eventsStrategies],
  ["flowcontrol.apiserver.k8s.io", flowcontrolStrategies],
  ["networking.k8s.io", networkingStrategies],
  ["node.k8s.io", nodeStrategies],
  ["policy", policyStrategies],
  ["rbac.authorization.k8s.io", rbacStrategies],
  ["scheduling.k8s.io", schedulingStrategies],
  ["storage.k8s.io", storageStrategies],
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
    return byGroup.get(group)?.get(resource) ?? withoutRules;
  };
}

/** The strategies of a cluster with default options. */
export const strategyFor: StrategyLookup = createStrategyLookup(coreStrategies);
