// SPDX-License-Identifier: Apache-2.0
import { type DraftObject, ensureObject } from "../../json/json.ts";
import { objectAt, objectsAt, textOf } from "../../json/json-fields.ts";
import type { Strategy } from "../../resources/strategy.ts";
import { setPodTemplateDefaults } from "../pod-spec/pod-spec-defaults.ts";
import { podSpecWarnings } from "../pod-spec/pod-spec-warnings.ts";
import { validatePodTemplate } from "../pod-spec/validate-pod-spec.ts";
import { configMapStrategy } from "./config-map.ts";
import { endpointsStrategy } from "./endpoints.ts";
import { eventStrategy } from "./event.ts";
import { limitRangeStrategy } from "./limit-range.ts";
import { namespaceStrategy } from "./namespace.ts";
import { nodeStrategy } from "./node.ts";
import { persistentVolumeStrategy } from "./persistent-volume.ts";
import { persistentVolumeClaimStrategy } from "./persistent-volume-claim.ts";
import { podStrategy } from "./pod.ts";
import { replicationControllerStrategy } from "./replication-controller.ts";
import { resourceQuotaStrategy } from "./resource-quota.ts";
import { secretStrategy } from "./secret.ts";
import { createServiceStrategy } from "./service.ts";

/** ServiceAccounts. Only the name of each Secret reference is stored. */
const serviceAccountStrategy: Strategy = {
  prepareForCreate: cleanSecretReferences,
  prepareForUpdate: cleanSecretReferences,
};

function cleanSecretReferences(object: DraftObject): void {
  const secrets = objectsAt(object, "secrets");
  if (secrets.length === 0) return;
  object["secrets"] = secrets.map((secret) => {
    const name = textOf(secret, "name");
    return name === "" ? {} : { name };
  });
}

/** PodTemplates. */
const podTemplateStrategy: Strategy = {
  setDefaults: (object) => setPodTemplateDefaults(ensureObject(object, "template")),
  validate: (object) => validatePodTemplate(objectAt(object, "template") ?? {}, "template"),
  warnings: (object) => podSpecWarnings(objectAt(object, "template") ?? {}, "template"),
  countsGenerations: true,
};

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
