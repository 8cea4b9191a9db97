// SPDX-License-Identifier: Apache-2.0
// Deletes the content of terminating namespaces, reports the progress in their status, and removes their finalizer.

import type { Outcome } from "../../base/queues/keyed-queue.ts";
import type { Clock } from "../../base/time/clock.ts";
import type { Controller } from "../../controllers/run-controller.ts";
import { deleteKey, ensureObject, type JsonObject } from "../json/json.ts";
import { listAt, numberAt, textAt } from "../json/json-fields.ts";
import type { ObjectChange } from "../resources/object-reader.ts";
import type { Resource } from "../resources/resource.ts";
import type { ResourceRegistry } from "../resources/resource-registry.ts";
import { formatTime } from "../schema-decode/go-time.ts";
import type { ClusterClient } from "./cluster-client.ts";
import {
  type ContentLeft,
  type DeletionProgress,
  describeProgress,
  putConditions,
} from "./namespace-controller-conditions.ts";
import { deletionStateOf } from "./owner-graph.ts";

/** The dependencies of the namespace controller. The clock sets the times of conditions. */
export interface NamespaceControllerOptions {
  readonly client: ClusterClient;
  readonly resources: ResourceRegistry;
  readonly clock: Clock;
}

const namespaces = "namespaces";
/** The entry of `spec.finalizers` that this controller removes. */
const contentFinalizer = "kubernetes";
/** Kubernetes' estimate of the time that finalizers take, in seconds. The controller retries after half that time. */
const finalizerEstimateSeconds = 15;
/** Concurrent deletes in one namespace: enough to fill a few group commits without delaying users' requests. */
const deletesAtOnce = 64;

/**
 * Creates a namespace controller for one run. It learns the terminating namespaces from `keys` and from the changes
 * passed to `keysOf`.
 */
export function createNamespaceController(options: NamespaceControllerOptions): Controller<ObjectChange> {
  const { objects } = options.client;
  const going = new Set<string>();
  return {
    name: "namespace controller",
    keys() {
      for (const namespace of objects.list(namespaces))
        if (isGoing(namespace)) going.add(textAt(namespace, "metadata", "name") ?? "");
      return going;
    },
    keysOf({ type, resource, namespace, name, object }: ObjectChange) {
      if (resource !== namespaces) return type !== "ADDED" && going.has(namespace) ? [namespace] : [];
      if (type === "DELETED" || !isGoing(object)) going.delete(name);
      else going.add(name);
      return going.has(name) ? [name] : [];
    },
    reconcile: (key) => emptyNamespace(options, key),
  };
}

function isGoing(namespace: JsonObject): boolean {
  return textAt(namespace, "metadata", "deletionTimestamp") !== undefined;
}

async function emptyNamespace(options: NamespaceControllerOptions, name: string): Promise<Outcome> {
  const { client } = options;
  const ref = { resource: namespaces, namespace: "", name };
  const namespace = client.objects.get(namespaces, "", name);
  if (namespace === undefined || !isGoing(namespace)) return {};
  if ((listAt(namespace, "spec", "finalizers") ?? []).length === 0) return {};
  const { progress, failures } = await deleteContent(options, namespace, name);
  const now = formatTime(options.clock.wallMs());
  const written = await client.update(ref, (draft) => putConditions(draft, describeProgress(progress), now), "status");
  if (failures.length > 0) throw new AggregateError(failures, "not all of a namespace could be deleted");
  if (written === undefined) return {};
  if (progress.left.length > 0) return { retryAfterMs: retryAfterMs(progress.left) };
  await client.update(
    ref,
    (draft) => {
      const spec = ensureObject(draft, "spec");
      const kept = (listAt(spec, "finalizers") ?? []).filter((each) => each !== contentFinalizer);
      if (kept.length === 0) deleteKey(spec, "finalizers");
      else spec["finalizers"] = kept;
    },
    "finalize",
  );
  return {};
}

/**
 * Deletes everything that can be deleted now. While Pods remain, nothing else is deleted: they may need it to
 * terminate.
 */
async function deleteContent(
  options: NamespaceControllerOptions,
  namespace: JsonObject,
  name: string,
): Promise<{ readonly progress: DeletionProgress; readonly failures: readonly Error[] }> {
  const deletedAtMs = Date.parse(textAt(namespace, "metadata", "deletionTimestamp") ?? "");
  const ageSeconds = (options.clock.wallMs() - deletedAtMs) / 1000;
  const failures: Error[] = [];
  const left: ContentLeft[] = [];
  const deleteAll = async (resource: Resource): Promise<void> => {
    const graceSeconds = resource.storageId === "pods" ? longestGrace(options.client, name, ageSeconds) : 0;
    failures.push(...(await deleteObjects(options.client, resource, name)));
    const remaining = options.client.objects.list(resource.storageId, name);
    if (remaining.length === 0) return;
    const finalizers = remaining.flatMap((object) => listAt(object, "metadata", "finalizers") ?? []);
    left.push({ facts: resource.facts, count: remaining.length, finalizers: finalizers.map(String), graceSeconds });
  };
  const served = deletableResources(options.resources);
  for (const resource of served) if (resource.storageId === "pods") await deleteAll(resource);
  const isWaitingForPods = left.length > 0;
  if (!isWaitingForPods) for (const resource of served) if (resource.storageId !== "pods") await deleteAll(resource);
  return { progress: { namespace: name, left, isWaitingForPods, failures }, failures };
}

/** Namespaced resources that support delete, at their preferred version. */
function deletableResources({ groups }: ResourceRegistry): readonly Resource[] {
  return groups.flatMap(({ versions }) => {
    const seen = new Set<string>();
    return versions
      .flatMap(({ resources }) => resources)
      .filter(({ facts }) => facts.namespaced && facts.verbs.includes("delete"))
      .filter(({ facts }) => !seen.has(facts.resource) && seen.add(facts.resource));
  });
}

/** Deletes objects that are not being deleted already. */
async function deleteObjects(
  client: ClusterClient,
  { storageId }: Resource,
  namespace: string,
): Promise<readonly Error[]> {
  const failures: Error[] = [];
  const names = client.objects
    .list(storageId, namespace)
    .filter((object) => deletionStateOf(object) !== "going")
    .map((object) => textAt(object, "metadata", "name") ?? "");
  for (let at = 0; at < names.length; at += deletesAtOnce) {
    const some = names.slice(at, at + deletesAtOnce).map(async (name) => {
      try {
        await client.delete({ resource: storageId, namespace, name }, { propagation: "Background" });
      } catch (reason) {
        failures.push(reason instanceof Error ? reason : new Error(String(reason)));
      }
    });
    await Promise.all(some);
  }
  return failures;
}

/** The longest grace period of the running Pods in seconds; 0 if it has passed since the namespace was deleted. */
function longestGrace({ objects }: ClusterClient, namespace: string, ageSeconds: number): number {
  let graceSeconds = 0;
  for (const pod of objects.list("pods", namespace)) {
    const phase = textAt(pod, "status", "phase");
    if (phase === "Succeeded" || phase === "Failed") continue;
    graceSeconds = Math.max(graceSeconds, numberAt(pod, "spec", "terminationGracePeriodSeconds") ?? 0);
  }
  return ageSeconds >= graceSeconds ? 0 : graceSeconds;
}

/** Changes in the namespace trigger a reconcile at once; the retry covers the passing of time. */
function retryAfterMs(left: readonly ContentLeft[]): number {
  const seconds = Math.max(
    ...left.map(
      ({ graceSeconds, finalizers }) => graceSeconds || (finalizers.length > 0 ? finalizerEstimateSeconds : 0),
    ),
  );
  return (Math.floor(seconds / 2) + 1) * 1000;
}
