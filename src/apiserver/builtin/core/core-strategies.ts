// SPDX-License-Identifier: Apache-2.0
import type { Strategy } from "../../resources/strategy.ts";
import { configMapStrategy } from "./config-map.ts";
import { endpointsStrategy } from "./endpoints.ts";
import { eventStrategy } from "./event.ts";
import { limitRangeStrategy } from "./limit-range.ts";
import { namespaceStrategy } from "./namespace.ts";
import { nodeStrategy } from "./node.ts";
import { persistentVolumeStrategy } from "./persistent-volume.ts";
import { persistentVolumeClaimStrategy } from "./persistent-volume-claim.ts";
import { podStrategy } from "./pod.ts";
import { podTemplateStrategy } from "./pod-template.ts";
import { replicationControllerStrategy } from "./replication-controller.ts";
import { resourceQuotaStrategy } from "./resource-quota.ts";
import { secretStrategy } from "./secret.ts";
import { createServiceStrategy } from "./service.ts";
import { serviceAccountStrategy } from "./service-account.ts";

/** The default Service range of kind: kubeadm's 10.96.0.0/12, narrowed to a /16. */
export const defaultClusterIpRange = "10.96.0.0/16";

/** Options of a cluster for its core kinds. */
export interface CoreOptions {
  /** Default `defaultClusterIpRange`. */
  readonly clusterIpRange?: string;
}

/** Creates the strategies of the core kinds, keyed by the plural resource name. */
export function createCoreStrategies({
  clusterIpRange = defaultClusterIpRange,
}: CoreOptions = {}): Readonly<Record<string, Strategy>> {
  return {
    configmaps: configMapStrategy,
    endpoints: endpointsStrategy,
    events: eventStrategy,
    limitranges: limitRangeStrategy,
    namespaces: namespaceStrategy,
    nodes: nodeStrategy,
    persistentvolumeclaims: persistentVolumeClaimStrategy,
    persistentvolumes: persistentVolumeStrategy,
    pods: podStrategy,
    podtemplates: podTemplateStrategy,
    replicationcontrollers: replicationControllerStrategy,
    resourcequotas: resourceQuotaStrategy,
    secrets: secretStrategy,
    serviceaccounts: serviceAccountStrategy,
    services: createServiceStrategy(clusterIpRange),
  };
}

/** The strategies of the core kinds with default options. */
export const coreStrategies: Readonly<Record<string, Strategy>> = createCoreStrategies();
