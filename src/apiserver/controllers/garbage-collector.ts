// SPDX-License-Identifier: Apache-2.0
// Deletes objects whose owners are gone, and handles foreground deletion and orphaning, as Kubernetes' garbage
// collector does.

import { throwIfAborted } from "../../base/abort.ts";
import type { Outcome } from "../../base/queues/keyed-queue.ts";
import type { Controller } from "../../controllers/run-controller.ts";
import { type JsonObject } from "../json/json.ts";
import { listAt, textAt } from "../json/json-fields.ts";
import type { Propagation } from "../request/delete-options.ts";
import type { ObjectChange } from "../resources/object-reader.ts";
import type { Resource } from "../resources/resource.ts";
import type { ResourceRegistry } from "../resources/resource-registry.ts";
import { foregroundFinalizer, orphanFinalizer } from "../verbs/delete-object.ts";
import type { ClusterClient, ObjectRef } from "./cluster-client.ts";
import { decideDependent, type OwnerState } from "./decide-dependent.ts";
import { releaseFrom, removeFinalizer } from "./garbage-collector-writes.ts";
import {
  type Dependent,
  deletionStateOf,
  OwnerGraph,
  type OwnerReference,
  objectKey,
  ownersOf,
  parseObjectKey,
} from "./owner-graph.ts";

/**
 * The dependencies of the collector. `resources` must contain a custom resource before the collector receives changes
 * of its objects.
 */
export interface GarbageCollectorOptions {
  readonly client: ClusterClient;
  readonly resources: ResourceRegistry;
}

/** Events may have owners, but Kubernetes does not collect them. */
const ignoredResources: ReadonlySet<string> = new Set(["events"]);

const definitions = "apiextensions.k8s.io/customresourcedefinitions";

/** Retry interval for owners of an unserved kind: Kubernetes' interval between two discoveries. */
const unservedRetryMs = 30_000;

/** Concurrent writes of one orphaning: as many as there are workers for all other work. */
const orphansAtOnce = 16;

/**
 * Creates a garbage collector for one run. It learns owners and dependents from `keys` and from the changes passed to
 * `keysOf`, in order.
 */
export function createGarbageCollector({ client, resources }: GarbageCollectorOptions): Controller<ObjectChange> {
  const collector = new GarbageCollector(client, resources);
  return {
    name: "garbage collector",
    keys: () => collector.learnServed(),
    keysOf: (change) => collector.learnChange(change),
    reconcile: (key, signal) => collector.reconcile(parseObjectKey(key), signal),
  };
}

class GarbageCollector {
  readonly #client: ClusterClient;
  readonly #resources: ResourceRegistry;
  readonly #graph = new OwnerGraph();
  /** Resources whose existing objects are in the graph. */
  readonly #learned = new Set<string>();
  #learnedRevision = -1;
  /** Keys of objects with an owner of an unserved kind. */
  readonly #unserved = new Set<string>();

  constructor(client: ClusterClient, resources: ResourceRegistry) {
    this.#client = client;
    this.#resources = resources;
  }

  /** Adds the objects of newly served resources to the graph. Returns the keys of those that may need work. */
  learnServed(): Iterable<string> {
    if (this.#learnedRevision === this.#resources.revision) return [];
    const keys = new Set<string>();
    this.#learnedRevision = this.#resources.revision;
    for (const { storageId, facts } of this.#resources.all) {
      if (this.#learned.has(storageId) || ignoredResources.has(storageId) || !facts.verbs.includes("list")) continue;
      this.#learned.add(storageId);
      for (const object of this.#client.objects.mentioning(storageId, ["ownerReferences", "deletionTimestamp"])) {
        const ref = refOf(storageId, object);
        this.#graph.put(ref, object);
        if (needsWork(object)) keys.add(objectKey(ref));
      }
    }
    return keys;
  }

  learnChange({ type, resource, namespace, name, object }: ObjectChange): Iterable<string> {
    const keys = new Set(this.learnServed());
    if (resource === definitions) for (const key of this.#unserved) keys.add(key);
    if (ignoredResources.has(resource)) return keys;
    const ref = { resource, namespace, name };
    const uid = textAt(object, "metadata", "uid") ?? "";
    const isGone = type === "DELETED";
    const before = isGone ? this.#graph.delete(ref, uid) : this.#graph.put(ref, object);
    if (isGone) this.#unserved.delete(objectKey(ref));
    else if (needsWork(object)) keys.add(objectKey(ref));
    if (isGone || deletionStateOf(object) === "waiting")
      for (const dependent of this.#graph.dependentsOf(uid)) keys.add(objectKey(dependent.ref));
    for (const key of this.#noLongerBlocked(before, isGone ? undefined : this.#graph.get(ref))) keys.add(key);
    return keys;
  }

  async reconcile(ref: ObjectRef, signal: AbortSignal): Promise<Outcome> {
    const key = objectKey(ref);
    this.#unserved.delete(key);
    const object = this.#client.objects.get(ref.resource, ref.namespace, ref.name);
    if (object === undefined) return {};
    const uid = textAt(object, "metadata", "uid") ?? "";
    switch (deletionStateOf(object)) {
      case "orphaning":
        await this.#orphanDependents(uid, signal);
        await removeFinalizer(this.#client, { ref, uid }, orphanFinalizer);
        return {};
      case "waiting":
        if (!this.#graph.isBlocked(uid)) await removeFinalizer(this.#client, { ref, uid }, foregroundFinalizer);
        return {};
      case "going":
        return {};
      default:
        return this.#decide(ref, uid, object);
    }
  }

  async #decide(ref: ObjectRef, uid: string, object: JsonObject): Promise<Outcome> {
    const owners = ownersOf(object).map((reference) => ({ reference, state: this.#stateOf(reference, ref.namespace) }));
    const hasDependents = this.#graph.hasDependents(uid);
    const decision = decideDependent(owners, { hasDependents, propagation: propagationInFinalizers(object) });
    if (decision.kind === "unknown") {
      this.#unserved.add(objectKey(ref));
      return { retryAfterMs: unservedRetryMs };
    }
    if (decision.kind === "release") await releaseFrom(this.#client, { ref, uid }, decision.uids);
    if (decision.kind === "delete") await this.#client.delete(ref, { uid, propagation: decision.propagation });
    return {};
  }

  #stateOf(reference: OwnerReference, namespace: string): OwnerState {
    if (this.#graph.isGone(reference.uid)) return "absent";
    const resource = this.#resourceOf(reference);
    if (resource === undefined) return "unserved";
    if (resource.facts.namespaced && namespace === "") return "misplaced";
    const { namespace: place, name } = placeOf(resource, reference, namespace);
    const owner = this.#client.objects.get(resource.storageId, place, name);
    if (owner === undefined || textAt(owner, "metadata", "uid") !== reference.uid) return "absent";
    return deletionStateOf(owner) === "waiting" ? "waiting" : "present";
  }

  /** Owners that the object blocked before this change and no longer blocks. */
  *#noLongerBlocked(before: Dependent | undefined, after: Dependent | undefined): Iterable<string> {
    if (before === undefined) return;
    for (const reference of before.owners) {
      const { uid, isBlocking } = reference;
      if (!isBlocking || after?.owners.some((owner) => owner.uid === uid && owner.isBlocking) === true) continue;
      const resource = this.#resourceOf(reference);
      if (resource !== undefined) yield objectKey(placeOf(resource, reference, before.ref.namespace));
    }
  }

  #resourceOf({ apiVersion, kind }: OwnerReference): Resource | undefined {
    const slash = apiVersion.indexOf("/");
    const group = slash < 0 ? "" : apiVersion.slice(0, slash);
    return this.#resources.findKind(group, apiVersion.slice(slash + 1), kind);
  }

  /**
   * Releases every dependent once, including those added meanwhile. A dependent that cannot be written must not block
   * the owner permanently.
   */
  async #orphanDependents(uid: string, signal: AbortSignal): Promise<void> {
    const uids = new Set([uid]);
    const tried = new Set<string>();
    for (;;) {
      const untried = [...this.#graph.dependentsOf(uid)].filter((dependent) => !tried.has(dependent.uid));
      if (untried.length === 0) return;
      for (let at = 0; at < untried.length; at += orphansAtOnce) {
        throwIfAborted(signal);
        const some = untried.slice(at, at + orphansAtOnce);
        for (const dependent of some) tried.add(dependent.uid);
        await Promise.all(some.map((dependent) => releaseFrom(this.#client, dependent, uids)));
      }
    }
  }
}

/** Whether the object may have to be deleted or waits for the garbage collector. */
function needsWork(object: JsonObject): boolean {
  const state = deletionStateOf(object);
  if (state === "living") return (listAt(object, "metadata", "ownerReferences") ?? []).length > 0;
  return state !== "going";
}

function propagationInFinalizers(object: JsonObject): Propagation | undefined {
  const finalizers = listAt(object, "metadata", "finalizers") ?? [];
  if (finalizers.includes(orphanFinalizer)) return "Orphan";
  return finalizers.includes(foregroundFinalizer) ? "Foreground" : undefined;
}

/** The key of an owner: in the namespace of its dependent, or cluster-wide. */
function placeOf({ facts, storageId }: Resource, { name }: OwnerReference, namespace: string): ObjectRef {
  return { resource: storageId, namespace: facts.namespaced ? namespace : "", name };
}

function refOf(resource: string, object: JsonObject): ObjectRef {
  return {
    resource,
    namespace: textAt(object, "metadata", "namespace") ?? "",
    name: textAt(object, "metadata", "name") ?? "",
  };
}
