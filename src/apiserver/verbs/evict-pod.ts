// SPDX-License-Identifier: Apache-2.0
import { stillProcessed, takeDisruption } from "../builtin/policy/disruption-status.ts";
import { copyJson, type DraftObject, ensureObject, isObject, type JsonObject } from "../json/json.ts";
import { countOf, listAt, objectAt, objectsAt, textAt, textOf, valueAt } from "../json/json-fields.ts";
import { createLabelMatcher } from "../metadata/label-selector-object.ts";
import type { DeleteOptions } from "../request/delete-options.ts";
import { formatTime } from "../schema-decode/go-time.ts";
import { ApiError, notFound } from "../status/api-error.ts";
import { type ApiCluster, type ObjectTarget, resourceName } from "./api-cluster.ts";
import { checkPreconditions, deleteObject } from "./delete-object.ts";

const budgets = "policy/poddisruptionbudgets";

/** Retries for a pending Pod that changes concurrently: kube-apiserver's number. */
const maxTries = 20;

/**
 * Deletes a Pod if its PodDisruptionBudget allows it, and counts the disruption in the budget. A Pod that is not
 * running or is being deleted needs no budget. Throws kube-apiserver's refusals: 429 if the budget allows no
 * disruption, 500 if several budgets select the Pod.
 */
export async function evictPod(cluster: ApiCluster, target: ObjectTarget, options: DeleteOptions): Promise<void> {
  for (let tried = 1; ; tried += 1) {
    const pod = findPod(cluster, target);
    if (!needsNoBudget(pod)) break;
    // A pending Pod may start concurrently; its budget then applies.
    const isPending = textOf(pod, "status", "phase") === "Pending" && !isGoing(pod);
    const isGuarded = options.resourceVersion === undefined && isPending;
    const guarded = isGuarded ? { ...options, resourceVersion: textOf(pod, "metadata", "resourceVersion") } : options;
    try {
      await markAndDelete(cluster, target, guarded);
      return;
    } catch (reason) {
      if (!isGuarded || !isConflict(reason) || tried === maxTries) throw reason;
    }
  }
  await evictRunning(cluster, target, options);
}

async function evictRunning(cluster: ApiCluster, target: ObjectTarget, options: DeleteOptions): Promise<void> {
  const pod = findPod(cluster, target);
  const { namespace, name } = target;
  const [budget, another] = budgetsOf(cluster, pod);
  if (another !== undefined)
    throw new ApiError(
      500,
      "",
      "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
    );
  if (budget === undefined) return markAndDelete(cluster, target, options);
  const budgetName = textOf(budget, "metadata", "name");
  if (isFreeOfBudget(pod, budget)) {
    // Only the Pod that was seen unhealthy may be deleted without a disruption.
    const resourceVersion = options.resourceVersion ?? textOf(pod, "metadata", "resourceVersion");
    try {
      return await markAndDelete(cluster, target, { ...options, resourceVersion });
    } catch (reason) {
      if (options.resourceVersion === undefined && isConflict(reason)) throw stillProcessed(budgetName);
      throw reason;
    }
  }
  await cluster.writer.write({ resource: budgets, namespace, name: budgetName }, (current) => {
    if (current === undefined) throw notFound({ group: "policy", resource: "poddisruptionbudgets" }, budgetName);
    const draft = copyJson(current);
    takeDisruption(draft, name, cluster.clock.wallMs());
    return options.isDryRun ? { kind: "keep" } : { kind: "put", object: draft };
  });
  await markAndDelete(cluster, target, options);
}

function findPod(cluster: ApiCluster, { resource, namespace, name }: ObjectTarget): JsonObject {
  const pod = cluster.cache.get(resource.storageId, namespace, name);
  if (pod === undefined) throw notFound(resourceName(resource), name);
  return pod;
}

/** A Pod that is pending, has finished or is being deleted counts as no disruption. */
function needsNoBudget(pod: JsonObject): boolean {
  return ["Pending", "Succeeded", "Failed"].includes(textOf(pod, "status", "phase")) || isGoing(pod);
}

function isGoing(pod: JsonObject): boolean {
  return textOf(pod, "metadata", "deletionTimestamp") !== "";
}

function budgetsOf({ cache }: ApiCluster, pod: JsonObject): readonly JsonObject[] {
  const labels = objectAt(pod, "metadata", "labels");
  return cache
    .list(budgets, textOf(pod, "metadata", "namespace"))
    .filter((budget) => createLabelMatcher(valueAt(budget, "spec", "selector"))(labels ?? {}));
}

/** An unhealthy Pod uses no disruption: always with AlwaysAllow, otherwise while enough Pods are healthy. */
function isFreeOfBudget(pod: JsonObject, budget: JsonObject): boolean {
  const ready = objectsAt(pod, "status", "conditions").find((each) => textOf(each, "type") === "Ready");
  if (textOf(ready ?? {}, "status") === "True") return false;
  if (textOf(budget, "spec", "unhealthyPodEvictionPolicy") === "AlwaysAllow") return true;
  const desiredCount = countOf(budget, "status", "desiredHealthy");
  return desiredCount > 0 && countOf(budget, "status", "currentHealthy") >= desiredCount;
}

/** Sets the DisruptionTarget condition and deletes the Pod. Preconditions apply to the Pod before this change. */
async function markAndDelete(cluster: ApiCluster, target: ObjectTarget, options: DeleteOptions): Promise<void> {
  if (options.isDryRun) {
    await deleteObject(cluster, target, options);
    return;
  }
  const { resource, namespace, name } = target;
  const marked = await cluster.writer.write({ resource: resource.storageId, namespace, name }, (current) => {
    if (current === undefined) throw notFound(resourceName(resource), name);
    checkPreconditions(target, options, current);
    const draft = copyJson(current);
    setDisruptionTarget(draft, cluster.clock.wallMs());
    return { kind: "put", object: draft };
  });
  const resourceVersion = marked && textOf(marked.object, "metadata", "resourceVersion");
  await deleteObject(
    cluster,
    target,
    options.resourceVersion === undefined ? options : { ...options, resourceVersion },
  );
}

function isConflict(reason: unknown): boolean {
  return reason instanceof ApiError && reason.reason === "Conflict";
}

/** Sets the Pod's `DisruptionTarget` condition to True: an eviction is ending the Pod. */
function setDisruptionTarget(pod: DraftObject, nowMs: number): void {
  const status = ensureObject(pod, "status");
  const conditions = listAt(status, "conditions") ?? [];
  const at = conditions.findIndex((each) => textAt(each, "type") === "DisruptionTarget");
  const old = conditions[at];
  const isSame = isObject(old) && old["status"] === "True";
  const set = {
    ...(isObject(old) ? old : {}),
    type: "DisruptionTarget",
    status: "True",
    lastProbeTime: null,
    lastTransitionTime: (isSame ? textAt(old, "lastTransitionTime") : undefined) ?? formatTime(nowMs),
    reason: "EvictionByEvictionAPI",
    message: "Eviction API: evicting",
  };
  if (at === -1) conditions.push(set);
  else conditions[at] = set;
  status["conditions"] = conditions;
}
