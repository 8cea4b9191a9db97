// SPDX-License-Identifier: Apache-2.0
// Active troubles are stored in a ConfigMap of the cluster itself, so they survive a restart.

import { type ClusterClient, isRefusal } from "../../apiserver/controllers/cluster-client.ts";
import { deleteKey, ensureObject, type JsonObject, setKey } from "../../apiserver/json/json.ts";
import { objectAt } from "../../apiserver/json/json-fields.ts";
import type { ObjectChange, ObjectReader } from "../../apiserver/resources/object-reader.ts";

/** The namespace of the ConfigMap that holds the list. */
const troubleNamespace = "kube-system";
/** The name of that ConfigMap. */
const troubleMap = "flotilla-trouble";

/**
 * The troubles that can be injected:
 * - `image-pull`: new Pods of a workload cannot pull their image;
 * - `crash-loop`: its containers keep exiting with an error;
 * - `slow-start`: new Pods take more than a minute to become ready;
 * - `node-loss`: a node sends no heartbeats;
 * - `failing-kustomization`: a Flux Kustomization cannot be applied;
 * - `bad-virtual-service`: an Istio VirtualService routes to a host that does not exist.
 */
export const troubleNames = [
  "image-pull",
  "crash-loop",
  "slow-start",
  "node-loss",
  "failing-kustomization",
  "bad-virtual-service",
] as const;
/** One of `troubleNames`. */
export type TroubleName = (typeof troubleNames)[number];

/** Type guard for user input. */
export function isTroubleName(text: string): text is TroubleName {
  return troubleNames.some((each) => each === text);
}

/** One trouble and its target: a workload, a node (then `namespace` is empty), a Kustomization or a VirtualService. */
export interface Trouble {
  readonly trouble: TroubleName;
  readonly namespace: string;
  readonly name: string;
}

/**
 * The key of the trouble's entry, in characters that ConfigMaps allow. Namespaces contain no dots, so it can be parsed.
 */
function keyOf({ trouble, namespace, name }: Trouble): string {
  return `${trouble}.${namespace === "" ? "-" : namespace}.${name}`;
}

/** Adds a trouble to the list. Idempotent. */
export async function noteTrouble(client: ClusterClient, trouble: Trouble): Promise<void> {
  const ref = { resource: "configmaps", namespace: troubleNamespace, name: troubleMap };
  const key = keyOf(trouble);
  const updated = await client.update(ref, (draft) => setKey(ensureObject(draft, "data"), key, "active"));
  if (updated !== undefined) return;
  const metadata = { name: troubleMap, namespace: troubleNamespace };
  try {
    await client.create("configmaps", { metadata, data: { [key]: "active" } });
  } catch (reason) {
    if (!isRefusal(reason, "AlreadyExists")) throw reason;
    await noteTrouble(client, trouble);
  }
}

/** Removes a trouble from the list. Idempotent. */
export async function forgetTrouble(client: ClusterClient, trouble: Trouble): Promise<void> {
  await client.update({ resource: "configmaps", namespace: troubleNamespace, name: troubleMap }, (draft) => {
    const entries = objectAt(draft, "data");
    if (entries !== undefined) deleteKey(entries, keyOf(trouble));
  });
}

/** Lists that were parsed already. Objects in memory never change. */
const known = new WeakMap<JsonObject, readonly Trouble[]>();

/** The active troubles. Entries that do not parse are ignored. */
export function listTroubles(objects: ObjectReader): readonly Trouble[] {
  const map = objects.get("configmaps", troubleNamespace, troubleMap);
  if (map === undefined) return [];
  let troubles = known.get(map);
  if (troubles === undefined) {
    troubles = Object.keys(objectAt(map, "data") ?? {}).flatMap((key) => {
      const [trouble = "", namespace = "", ...nameParts] = key.split(".");
      if (!isTroubleName(trouble) || nameParts.length === 0) return [];
      return [{ trouble, namespace: namespace === "-" ? "" : namespace, name: nameParts.join(".") }];
    });
    known.set(map, troubles);
  }
  return troubles;
}

/** Whether the trouble is active. */
export function hasTrouble(objects: ObjectReader, trouble: Trouble): boolean {
  return listTroubles(objects).some((each) => keyOf(each) === keyOf(trouble));
}

/** Whether `node-loss` is active for the node. */
export function isNodeLost(objects: ObjectReader, node: string): boolean {
  return hasTrouble(objects, { trouble: "node-loss", namespace: "", name: node });
}

/** Whether the change concerns the list of troubles. */
export function isTroubleChange({ namespace, name }: ObjectChange): boolean {
  return namespace === troubleNamespace && name === troubleMap;
}
