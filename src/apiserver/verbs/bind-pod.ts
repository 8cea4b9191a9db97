// SPDX-License-Identifier: Apache-2.0
import { copyJson, type DraftObject, ensureObject, isObject, type JsonObject, setKey } from "../json/json.ts";
import { listAt, textAt } from "../json/json-fields.ts";
import { formatTime } from "../schema-decode/go-time.ts";
import { ApiError, conflict, notFound } from "../status/api-error.ts";
import { type ApiCluster, type ObjectTarget, resourceName } from "./api-cluster.ts";

/**
 * Binds a Pod to the node of a Binding. Throws Conflict for a Pod that has a node, is being deleted or has scheduling
 * gates.
 */
export async function bindPod(
  cluster: ApiCluster,
  { resource, namespace, name }: ObjectTarget,
  binding: JsonObject,
  isDryRun: boolean,
): Promise<void> {
  const node = textAt(binding, "target", "name") ?? "";
  if (node === "") throw new ApiError(500, "", "target.name: Required value");
  await cluster.writer.write({ resource: resource.storageId, namespace, name }, (current) => {
    if (current === undefined) throw notFound(resourceName(resource), name);
    const refuse = (because: string): ApiError => conflict({ group: "", resource: "pods/binding" }, name, because);
    const there = textAt(current, "spec", "nodeName") ?? "";
    if (textAt(current, "metadata", "deletionTimestamp") !== undefined)
      throw refuse(`pod ${name} is being deleted, cannot be assigned to a host`);
    if (there !== "") throw refuse(`pod ${name} is already assigned to node ${JSON.stringify(there)}`);
    if ((listAt(current, "spec", "schedulingGates") ?? []).length > 0)
      throw refuse(`pod ${name} has non-empty .spec.schedulingGates`);
    if (isDryRun) return { kind: "keep" };
    return { kind: "put", object: bound(copyJson(current), binding, node, formatTime(cluster.clock.wallMs())) };
  });
}

/** Sets the Pod's node and condition, and adds the Binding's labels and annotations. */
function bound(pod: DraftObject, binding: JsonObject, node: string, time: string): DraftObject {
  ensureObject(pod, "spec")["nodeName"] = node;
  for (const part of ["labels", "annotations"] as const) {
    const given = isObject(binding["metadata"]) ? binding["metadata"][part] : undefined;
    if (!isObject(given) || Object.keys(given).length === 0) continue;
    const kept = ensureObject(ensureObject(pod, "metadata"), part);
    for (const [key, value] of Object.entries(given)) setKey(kept, key, copyJson(value));
  }
  const status = ensureObject(pod, "status");
  delete status["nominatedNodeName"];
  const others = (listAt(status, "conditions") ?? []).filter((each) => textAt(each, "type") !== "PodScheduled");
  const scheduled = { type: "PodScheduled", status: "True", lastProbeTime: null, lastTransitionTime: time };
  status["conditions"] = [...others, scheduled];
  return pod;
}
