// SPDX-License-Identifier: Apache-2.0
// Who owns whom: the objects that have owner references, found by the uid of an owner. Pure; the garbage collector feeds it and acts on it.
import { isObject, type JsonObject, listAt, textAt, valueAt } from "../json/json.ts";
import { foregroundFinalizer, orphanFinalizer } from "../verbs/delete-object.ts";
import type { ObjectRef } from "./cluster-client.ts";

/** An entry of `metadata.ownerReferences`. */
export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  /** The owner, when deleted in the foreground, waits for the object that has this reference. */
  readonly isBlocking: boolean;
}

/**
 * `living`: not being deleted; `orphaning` and `waiting`: held until its dependents have let go of it, or are gone; `going`: being deleted, and no
 * concern of the garbage collector until it is gone.
 */
export type DeletionState = "living" | "orphaning" | "waiting" | "going";

/** An object with owner references. */
export interface Dependent {
  readonly ref: ObjectRef;
  readonly uid: string;
  readonly owners: readonly OwnerReference[];
  readonly state: DeletionState;
}

/** One text for one place, which `parseObjectKey` takes apart. Names may hold spaces; resources and namespaces hold neither spaces nor, the latter, slashes. */
export function objectKey({ resource, namespace, name }: ObjectRef): string {
  return `${resource} ${namespace}/${name}`;
}

/** The place that `objectKey` made the text of. */
export function parseObjectKey(key: string): ObjectRef {
  const space = key.indexOf(" ");
  const slash = key.indexOf("/", space);
  return { resource: key.slice(0, space), namespace: key.slice(space + 1, slash), name: key.slice(slash + 1) };
}

/** The references of an object; parts that are missing or no texts are empty. */
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

/** How far the deletion of an object has come. One that is to orphan its dependents does so before anything else. */
export function deletionStateOf(object: JsonObject): DeletionState {
  if (textAt(object, "metadata", "deletionTimestamp") === undefined) return "living";
  const finalizers = listAt(object, "metadata", "finalizers") ?? [];
  if (finalizers.includes(orphanFinalizer)) return "orphaning";
  return finalizers.includes(foregroundFinalizer) ? "waiting" : "going";
}

/** Objects without owner references take no room here. Owners are known by uid alone: whether they exist is not the graph's to say, unless it saw them go. */
export class OwnerGraph {
  readonly #dependents = new Map<string, Dependent>();
  readonly #byOwner = new Map<string, Map<string, Dependent>>();
  /** Owners that were seen to go and still have dependents. */
  readonly #gone = new Set<string>();

  /** The object at that place, if it has owners. */
  get(ref: ObjectRef): Dependent | undefined {
    return this.#dependents.get(objectKey(ref));
  }

  /** Objects with a reference to that uid, whatever else the reference says and wherever they are. */
  dependentsOf(ownerUid: string): Iterable<Dependent> {
    return this.#byOwner.get(ownerUid)?.values() ?? [];
  }

  hasDependents(ownerUid: string): boolean {
    return this.#byOwner.has(ownerUid);
  }

  /** True for an owner that was there and went. It will not come back: a uid is never given twice. */
  isGone(ownerUid: string): boolean {
    return this.#gone.has(ownerUid);
  }

  /** Takes in an object as it now is. Gives what was known at its place before. */
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

  /** The object is gone. Gives what was known of it. */
  delete(ref: ObjectRef, uid: string): Dependent | undefined {
    const before = this.#forget(ref);
    if (this.#byOwner.has(uid)) this.#gone.add(uid);
    if (before !== undefined) this.#dropEmpty(before);
    return before;
  }

  /**
   * True while an object that is deleted in the foreground has to wait for a dependent. Objects that wait for each other in a circle wait together for
   * all that depends on any of them, and not for each other.
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

/** True if from every node of the graph a way leads to `target`. */
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
