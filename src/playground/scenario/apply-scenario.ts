// SPDX-License-Identifier: Apache-2.0
import type { ClusterClient } from "../../apiserver/controllers/cluster-client.ts";
import { textAt } from "../../apiserver/json/json-fields.ts";
import { onAbort } from "../../base/abort.ts";
import { isConditionTrue } from "../controllers/object-parts.ts";
import { buildBuiltinObjects, buildCustomObjects, type ScenarioOptions } from "./build-scenario.ts";
import type { ScenarioObject } from "./build-workload.ts";
import { gitopsCrds } from "./crds/gitops-crds.ts";
import { istioCrds } from "./crds/istio-crds.ts";
import { createMissing } from "./create-missing.ts";

export type { ScenarioOptions } from "./build-scenario.ts";

const definitions = "apiextensions.k8s.io/customresourcedefinitions";

/** The ConfigMap in kube-system that marks the scenario as applied, so that objects deleted by users stay deleted. */
const marker = { namespace: "kube-system", name: "flotilla-scenario" };

/**
 * Creates the scenario's objects that are missing, and changes none. A cluster that has had the whole scenario is left
 * alone, so a second call writes nothing. Waits until the server has established the CustomResourceDefinitions; the
 * signal ends the wait.
 */
export async function applyScenario(
  client: ClusterClient,
  options: ScenarioOptions,
  signal?: AbortSignal,
): Promise<void> {
  if (client.objects.get("configmaps", marker.namespace, marker.name) !== undefined) return;
  const crds = [...istioCrds, ...gitopsCrds].map((object): ScenarioObject => ({ resource: definitions, object }));
  for (const each of crds) await createMissing(client, each);
  for (const each of buildBuiltinObjects(options)) await createMissing(client, each);
  for (const { object } of crds) await established(client, textAt(object, "metadata", "name") ?? "", signal);
  for (const each of buildCustomObjects(options)) await createMissing(client, each);
  const content = { seed: options.seed, cluster: options.clusterName, region: options.region };
  await createMissing(client, { resource: "configmaps", object: { metadata: { ...marker }, data: content } });
}

/** Resolves when the definition's kind is served. Rejects with the signal's reason. */
async function established(client: ClusterClient, name: string, signal: AbortSignal | undefined): Promise<void> {
  const isDone = (): boolean => isConditionTrue(client.objects.get(definitions, "", name) ?? {}, "Established");
  if (isDone()) return;
  await new Promise<void>((resolve, reject) => {
    const end = (): void => {
      stop();
      stopListening();
    };
    const stop = client.objects.subscribe((change) => {
      if (change.resource !== definitions || change.name !== name || !isDone()) return;
      end();
      resolve();
    });
    const stopListening =
      signal === undefined
        ? (): void => undefined
        : onAbort(signal, () => {
            stop();
            reject(signal.reason as Error);
          });
  });
}
