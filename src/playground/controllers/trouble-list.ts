// SPDX-License-Identifier: Apache-2.0
// What is wrong on purpose stands in a ConfigMap of the cluster itself, so a restart changes nothing about it.
import { type ClusterClient, isRefusal } from "../../apiserver/controllers/cluster-client.ts";
import { deleteKey, ensureObject, type JsonObject, objectAt, setKey } from "../../apiserver/json/json.ts";
import type { ObjectChange, ObjectReader } from "../../apiserver/resources/object-reader.ts";

/** The namespace of the ConfigMap that holds the list. */
export const troubleNamespace = "kube-system";
/** The name of that ConfigMap. */
export const troubleMap = "flotilla-trouble";

/**
 * What can be wrong: `image-pull`: new Pods of a workload cannot get their image; `crash-loop`: its containers end with an error again and again; `slow-start`: new
 * Pods take more than a minute to become ready; `node-loss`: a node is no longer heard of; `failing-kustomization`: a Flux Kustomization cannot be applied;
 * `bad-virtual-service`: an Istio VirtualService sends to a host that is not there.
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

/** For texts from users. */
export function isTroubleName(text: string): text is TroubleName {
  return troubleNames.some((each) => each === text);
}

/** One trouble and whom it strikes: a workload, a node (then `namespace` is empty), a Kustomization or a VirtualService. */
export interface Trouble {
  readonly trouble: TroubleName;
  readonly namespace: string;
  readonly name: string;
}

/** Where the trouble's entry is: letters, digits, dashes and dots, as ConfigMaps allow. Namespaces have no dots, so it can be read back. */
function keyOf({ trouble, namespace, name }: Trouble): string {
  return `${trouble}.${namespace === "" ? "-" : namespace}.${name}`;
}

/** Notes a trouble. Noting it again changes nothing. */
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

/** Takes a trouble off the list; one that is not on it is none. */
export async function forgetTrouble(client: ClusterClient, trouble: Trouble): Promise<void> {
  await client.update({ resource: "configmaps", namespace: troubleNamespace, name: troubleMap }, (draft) => {
    const entries = objectAt(draft, "data");
    if (entries !== undefined) deleteKey(entries, keyOf(trouble));
  });
}

/** Lists that were read already: an object in memory never changes. */
const known = new WeakMap<JsonObject, readonly Trouble[]>();

/** What is wrong on purpose. Entries that nobody here could have written are passed over. */
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

/** That trouble is on the list. */
export function hasTrouble(objects: ObjectReader, trouble: Trouble): boolean {
  return listTroubles(objects).some((each) => keyOf(each) === keyOf(trouble));
}

/** The node is no longer heard of. */
export function isNodeLost(objects: ObjectReader, node: string): boolean {
  return hasTrouble(objects, { trouble: "node-loss", namespace: "", name: node });
}

/** The change is one of the list of troubles. */
export function isTroubleChange({ namespace, name }: ObjectChange): boolean {
  return namespace === troubleNamespace && name === troubleMap;
}
