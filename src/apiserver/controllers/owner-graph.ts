// SPDX-License-Identifier: Apache-2.0
// The objects with owner references, indexed by the uids of their owners. Pure: the garbage collector updates and reads
// it.

import { isObject, type JsonObject } from "../json/json.ts";
import { listAt, textAt, valueAt } from "../json/json-fields.ts";
import { foregroundFinalizer, orphanFinalizer } from "../verbs/delete-object.ts";
import type { ObjectRef } from "./cluster-client.ts";

/** An entry of `metadata.ownerReferences`. */
export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  /** Whether a foreground deletion of the owner waits for this object. */
  readonly isBlocking: boolean;
}

/**
 * The deletion state of an object.
 * - `living`: not being deleted.
 * - `orphaning`: kept until its dependents no longer refer to it.
 * - `waiting`: kept until its dependents are deleted.
 * - `going`: being deleted, with no work for the garbage collector until it is removed.
 */
export type DeletionState = "living" | "orphaning" | "waiting" | "going";

/** An object with owner references. */
export interface Dependent {
  readonly ref: ObjectRef;
  readonly uid: string;
  readonly owners: readonly OwnerReference[];
  readonly state: DeletionState;
}

/**
 * A unique text of an object's key; see `parseObjectKey`. Names may contain spaces. Resources and namespaces contain no
 * spaces, and namespaces no slashes.
 */
export function objectKey({ resource, namespace, name }: ObjectRef): string {
  return `${resource} ${namespace}/${name}`;
}

/** The reverse of `objectKey`. */
export function parseObjectKey(key: string): ObjectRef {
  const space = key.indexOf(" ");
  const slash = key.indexOf("/", space);
  return { resource: key.slice(0, space), namespace: key.slice(space + 1, slash), name: key.slice(slash + 1) };
}

/** The references of an object. A missing part, or one that is not a string, is empty. */
export function ownersOf(object: JsonObject): readonly OwnerReference[] {
  const references = listAt(object, "metadata", "ownerReferences");
  if (references === undefined) return [];
  return references
    .filter((each) => isObject(each))
    .map((each) => ({
      apiVersion: textAt(each, "apiVersion") ?? "",
      kind: textAt(each, "kind") ?? "",
      name: textAt(each, "name") ?? "",
      uid: textAt(each, "uid") ?? "",
      isBlocking: valueAt(each, "blockOwnerDeletion") === true,
    }));
}

/** The deletion state of an object. `orphaning` takes precedence over `waiting`. */
export function deletionStateOf(object: JsonObject): DeletionState {
  if (textAt(object, "metadata", "deletionTimestamp") === undefined) return "living";
  const finalizers = listAt(object, "metadata", "finalizers") ?? [];
  if (finalizers.includes(orphanFinalizer)) return "orphaning";
  return finalizers.includes(foregroundFinalizer) ? "waiting" : "going";
}

/**
 * Holds only objects with owner references. Owners are known by uid alone: the graph knows that one is deleted only if
 * it saw the deletion.
 */
export class OwnerGraph {
  readonly #dependents = new Map<string, Dependent>();
  readonly #byOwner = new Map<string, Map<string, Dependent>>();
  /** Deleted owners that still have dependents. */
  readonly #gone = new Set<string>();

  /** The object with this key, if it has owners. */
  get(ref: ObjectRef): Dependent | undefined {
    return this.#dependents.get(objectKey(ref));
  }

  /** Objects in any namespace with a reference to that uid. Other parts of the reference are ignored. */
  dependentsOf(ownerUid: string): Iterable<Dependent> {
    return this.#byOwner.get(ownerUid)?.values() ?? [];
  }

  hasDependents(ownerUid: string): boolean {
    return this.#byOwner.has(ownerUid);
  }

  /** Whether the deletion of this owner was seen. It is permanent: uids are never reused. */
  isGone(ownerUid: string): boolean {
    return this.#gone.has(ownerUid);
  }

  /** Adds or replaces an object. Returns the previous entry. */
  put(ref: ObjectRef, object: JsonObject): Dependent | undefined {
    const before = this.#forget(ref);
    const owners = ownersOf(object);
    if (owners.length > 0) {
      const uid = textAt(object, "metadata", "uid") ?? "";
      this.#add({ ref, uid, owners, state: deletionStateOf(object) });
    }
    if (before !== undefined) this.#dropEmpty(before);
    return before;
  }

  /** Removes an object. Returns the previous entry. */
  delete(ref: ObjectRef, uid: string): Dependent | undefined {
    const before = this.#forget(ref);
    if (this.#byOwner.has(uid)) this.#gone.add(uid);
    if (before !== undefined) this.#dropEmpty(before);
    return before;
  }

  /**
   * Whether an object deleted in the foreground must wait for a dependent. Objects in a cycle do not wait for each
   * other: together they wait for everything else that depends on any of them.
   */
  isBlocked(ownerUid: string): boolean {
    const waitingFor = new Map<string, readonly string[]>();
    const open = [ownerUid];
    for (let uid = open.pop(); uid !== undefined; uid = open.pop()) {
      if (waitingFor.has(uid)) continue;
      const blockers: string[] = [];
      for (const dependent of this.dependentsOf(uid)) {
        if (!dependent.owners.some((owner) => owner.uid === uid && owner.isBlocking)) continue;
        if (dependent.state !== "waiting") return true;
        blockers.push(dependent.uid);
      }
      waitingFor.set(uid, blockers);
      for (const blocker of blockers) open.push(blocker);
    }
    return !canAllReach(waitingFor, ownerUid);
  }

  #add(dependent: Dependent): void {
    const key = objectKey(dependent.ref);
    this.#dependents.set(key, dependent);
    for (const { uid } of dependent.owners) {
      let found = this.#byOwner.get(uid);
      if (found === undefined) {
        found = new Map();
        this.#byOwner.set(uid, found);
      }
      found.set(key, dependent);
    }
  }

  #forget(ref: ObjectRef): Dependent | undefined {
    const key = objectKey(ref);
    const before = this.#dependents.get(key);
    if (before === undefined) return undefined;
    this.#dependents.delete(key);
    for (const { uid } of before.owners) this.#byOwner.get(uid)?.delete(key);
    return before;
  }

  #dropEmpty({ owners }: Dependent): void {
    for (const { uid } of owners) {
      if (this.#byOwner.get(uid)?.size !== 0) continue;
      this.#byOwner.delete(uid);
      this.#gone.delete(uid);
    }
  }
}

/** Whether every node of the graph has a path to `target`. */
function canAllReach(edges: ReadonlyMap<string, readonly string[]>, target: string): boolean {
  const sources = new Map<string, string[]>();
  for (const [from, ends] of edges) {
    for (const end of ends) {
      const known = sources.get(end);
      if (known === undefined) sources.set(end, [from]);
      else known.push(from);
    }
  }
  const reaching = new Set([target]);
  for (const node of reaching) for (const source of sources.get(node) ?? []) reaching.add(source);
  return reaching.size === edges.size;
}
