// SPDX-License-Identifier: Apache-2.0
// Injects troubles: chooses their target, and makes the changes that their effect requires.
import type { ClusterClient } from "../../apiserver/controllers/cluster-client.ts";
import { type Draft, isList, isObject, type JsonObject } from "../../apiserver/json/json.ts";
import { createLabelMatcher } from "../../apiserver/metadata/label-selector-object.ts";
import type { ObjectReader } from "../../apiserver/resources/object-reader.ts";
import { FlotillaError } from "../../base/error.ts";
import { countAt, labelsOf, nameOf, namespaceOf, timeAt, uidOf } from "./object-parts.ts";
import { ownerKinds } from "./owner.ts";
import { isActive } from "./pod-facts.ts";
import { forgetTrouble, listTroubles, noteTrouble, type Trouble, type TroubleName } from "./trouble-list.ts";

export { isTroubleName, listTroubles, type Trouble, type TroubleName, troubleNames } from "./trouble-list.ts";

/** Resources that a trouble can affect. Workloads are Deployments. */
const targetResources: Readonly<Record<TroubleName, string>> = {
  "image-pull": ownerKinds.deployment.resource,
  "crash-loop": ownerKinds.deployment.resource,
  "slow-start": ownerKinds.deployment.resource,
  "node-loss": "nodes",
  "failing-kustomization": "kustomize.toolkit.fluxcd.io/kustomizations",
  "bad-virtual-service": "networking.istio.io/virtualservices",
};

/** Index of the default target among the Deployments. Different troubles choose different ones. */
const defaultWorkloadIndex: Readonly<Partial<Record<TroubleName, number>>> = {
  "image-pull": 0,
  "crash-loop": 1,
  "slow-start": 2,
};

/** Suffix of a VirtualService's destination host while it is bad. */
const missingSuffix = "-missing";

/** The target of a trouble, if given. */
export interface TroubleTarget {
  readonly namespace: string;
  readonly name: string;
}

/**
 * Injects a trouble. Without a target one is chosen, deterministically for an unchanged cluster. Rejects with NOT_FOUND
 * if the cluster has no suitable target.
 */
export async function addTrouble(client: ClusterClient, trouble: TroubleName, target?: TroubleTarget): Promise<void> {
  const chosen = target ?? chooseTarget(client.objects, trouble);
  const object = chosen && client.objects.get(targetResources[trouble], chosen.namespace, chosen.name);
  if (chosen === undefined || object === undefined)
    throw new FlotillaError("NOT_FOUND", `the cluster has no object that ${trouble} can affect`);
  await noteTrouble(client, { trouble, ...chosen });
  if (trouble === "image-pull" || trouble === "slow-start") await replaceOnePod(client, object);
  if (trouble === "bad-virtual-service") await renameDestinations(client, chosen, (host) => addMissingSuffix(host));
}

/** Ends a trouble: for the target, or everywhere if none is given. */
export async function healTrouble(client: ClusterClient, trouble: TroubleName, target?: TroubleTarget): Promise<void> {
  const healed = listTroubles(client.objects).filter(
    (each) =>
      each.trouble === trouble &&
      (target === undefined || (each.namespace === target.namespace && each.name === target.name)),
  );
  for (const each of healed) {
    await forgetTrouble(client, each);
    if (trouble === "bad-virtual-service") await renameDestinations(client, each, (host) => removeMissingSuffix(host));
  }
}

function chooseTarget(objects: ObjectReader, trouble: TroubleName): TroubleTarget | undefined {
  const isWorkload = targetResources[trouble] === ownerKinds.deployment.resource;
  const taken = new Set(listTroubles(objects).map(targetKey));
  const all = objects
    .list(targetResources[trouble])
    .filter((each) => !isWorkload || (!isSystem(namespaceOf(each)) && (countAt(each, "spec", "replicas") ?? 1) > 0))
    .map((each) => ({ namespace: namespaceOf(each), name: nameOf(each) }));
  const free = all.filter((each) => !taken.has(targetKey(each)));
  const from = free.length === 0 ? all : free;
  return trouble === "node-loss" ? from.at(-1) : from[(defaultWorkloadIndex[trouble] ?? 0) % Math.max(1, from.length)];
}

function targetKey({ namespace, name }: TroubleTarget | Trouble): string {
  return `${namespace}/${name}`;
}

function isSystem(namespace: string): boolean {
  return namespace.startsWith("kube-") || namespace.endsWith("-system");
}

/** Deletes one Pod, since only new Pods are affected: running ones already have their image and have started. */
async function replaceOnePod(client: ClusterClient, workload: JsonObject): Promise<void> {
  const spec = workload["spec"];
  const matches = createLabelMatcher(isObject(spec) ? spec["selector"] : undefined);
  const pods = client.objects
    .list("pods", namespaceOf(workload))
    .filter((pod) => isActive(pod) && matches(labelsOf(pod)));
  const [youngest] = pods.sort(
    (a, b) => (timeAt(b, "metadata", "creationTimestamp") ?? 0) - (timeAt(a, "metadata", "creationTimestamp") ?? 0),
  );
  if (youngest === undefined) return;
  const ref = { resource: "pods", namespace: namespaceOf(youngest), name: nameOf(youngest) };
  await client.delete(ref, { uid: uidOf(youngest) });
}

function addMissingSuffix(host: string): string {
  const [first = "", ...rest] = host.split(".");
  return first.endsWith(missingSuffix) ? host : [`${first}${missingSuffix}`, ...rest].join(".");
}

function removeMissingSuffix(host: string): string {
  const [first = "", ...rest] = host.split(".");
  return first.endsWith(missingSuffix) ? [first.slice(0, -missingSuffix.length), ...rest].join(".") : host;
}

async function renameDestinations(
  client: ClusterClient,
  { namespace, name }: TroubleTarget,
  rename: (host: string) => string,
): Promise<void> {
  const ref = { resource: targetResources["bad-virtual-service"], namespace, name };
  await client.update(ref, (draft) => forEachDestination(draft["spec"], rename));
}

function forEachDestination(value: Draft | undefined, rename: (host: string) => string): void {
  if (isList(value)) for (const each of value) forEachDestination(each, rename);
  if (!isObject(value)) return;
  for (const [key, part] of Object.entries<Draft>(value)) {
    if (key === "destination" && isObject(part) && typeof part["host"] === "string")
      part["host"] = rename(part["host"]);
    else forEachDestination(part, rename);
  }
}
