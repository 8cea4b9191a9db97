// SPDX-License-Identifier: Apache-2.0
import {
  copyJson,
  type Draft,
  type DraftObject,
  deleteKey,
  ensureObject,
  isEqualJson,
  type JsonObject,
} from "../json/json.ts";
import { listAt, objectAt, textAt, valueAt } from "../json/json-fields.ts";
import { quoteGo } from "../json/quote-go.ts";
import { stripManagedFields } from "../metadata/object-meta.ts";
import { ApiError, conflict, invalid, modifiedMeanwhile, notFound } from "../status/api-error.ts";
import { invalidValue } from "../status/field-error.ts";
import type { WriteAttempt } from "../storage/object-writer.ts";
import { toServed } from "../storage/render-object.ts";
import { type ApiCluster, type ObjectTarget, resourceName } from "./api-cluster.ts";
import { checkChanged, checkChangedPart } from "./check-object.ts";
import { createObject, hasStatus, inTurn } from "./create-object.ts";
import { registryKey } from "./registry-key.ts";

/** The subresource that a write changes; empty for the object itself. */
export type WrittenPart = "" | "status" | "finalize" | "scale";

export interface UpdateRequest {
  readonly target: ObjectTarget;
  readonly part: WrittenPart;
  readonly isDryRun: boolean;
  /** Whether a PUT may create the object, if the kind allows it. */
  readonly mayCreate: boolean;
  /** The expected uid; empty or absent if the client did not set it. */
  readonly uid?: string;
  /** Computes the wanted object from the current one, both at the served version. Called again after a conflict. */
  readonly change: (old: JsonObject | undefined) => DraftObject;
  /** Throws if the user may not make this change. */
  readonly check?: (wanted: JsonObject, old: JsonObject | undefined) => void;
}

export interface Updated {
  readonly object: JsonObject;
  readonly isCreated: boolean;
  /** The object before the change; undefined if it was created. */
  readonly old: JsonObject | undefined;
}

/** Changes an object, for PUT and PATCH. Throws kube-apiserver's refusals. */
export async function updateObject(cluster: ApiCluster, request: UpdateRequest): Promise<Updated> {
  const { target, isDryRun } = request;
  const { resource, namespace, name } = target;
  let wanted: DraftObject | undefined;
  let old: JsonObject | undefined;
  let isMissing = false;
  const decide = (current: JsonObject | undefined): WriteAttempt => {
    isMissing = current === undefined;
    if (current === undefined) {
      if (!request.mayCreate || resource.strategy.allowsCreateOnUpdate !== true)
        throw notFound(resourceName(resource), name);
      checkUid(request, "");
      return { kind: "keep" };
    }
    checkUid(request, textAt(current, "metadata", "uid") ?? "");
    old = toServed(resource, current);
    wanted = request.change(old);
    request.check?.(wanted, old);
    prepareChange(cluster, request, wanted, old);
    return isDryRun ? { kind: "keep" } : toAttempt(request, wanted);
  };
  const place = { resource: resource.storageId, namespace, name };
  const written = await inTurn(cluster, target, () => cluster.writer.write(place, decide));
  if (isMissing) {
    const fresh = request.change(undefined);
    deleteKey(ensureObject(fresh, "metadata"), "resourceVersion");
    const created = await createObject(cluster, target, fresh, {
      isDryRun,
      check: (object) => request.check?.(object, undefined),
    });
    return { object: created, isCreated: true, old: undefined };
  }
  if (isDryRun && wanted !== undefined) return { object: wanted, isCreated: false, old };
  if (written === undefined) throw notFound(resourceName(resource), name);
  // A deletion by an update responds with the object at its previous resourceVersion.
  if (written.kind === "deleted" && wanted !== undefined) return { object: wanted, isCreated: false, old };
  return { object: toServed(resource, written.object), isCreated: false, old };
}

function prepareChange(cluster: ApiCluster, request: UpdateRequest, wanted: DraftObject, old: JsonObject): void {
  const { target, part } = request;
  const { resource } = target;
  const { strategy } = resource;
  checkVersion(target, wanted, old);
  carryMetadata(wanted, old);
  stripManagedFields(wanted);
  // Defaults apply to objects that clients send; a Scale contains only the replicas.
  if (part !== "scale") strategy.setDefaults?.(wanted);
  if (part === "status") {
    const { prepareForStatusUpdate } = strategy;
    if (prepareForStatusUpdate !== undefined) prepareForStatusUpdate(wanted, old, cluster.clock.wallMs());
    else keepAllBut(["status", "metadata"], wanted, old);
    checkChangedPart(resource, wanted, old, part);
    return;
  }
  if (part === "finalize") {
    keepAllBut(["spec"], wanted, old);
    checkChangedPart(resource, wanted, old, part);
    return;
  }
  const context = {
    nowMs: cluster.clock.wallMs(),
    random: cluster.random,
    userName: target.user.user,
    user: target.user,
    isDryRun: request.isDryRun,
    objects: cluster.cache,
  };
  if (strategy.prepareForUpdate !== undefined) strategy.prepareForUpdate(wanted, old, context);
  else if (hasStatus(target)) keepOnly(["status"], wanted, old);
  if (strategy.countsGenerations === true) countGeneration(wanted, old);
  checkChanged(resource, wanted, old);
}

/** Refuses a write for a deleted object of the same name. */
function checkUid({ target, uid = "" }: UpdateRequest, found: string): void {
  if (uid === "" || uid === found) return;
  const failed = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${found}`;
  const because = `StorageError: invalid object, Code: 4, Key: ${registryKey(target)}, ResourceVersion: 0, AdditionalErrorMsg: ${failed}`;
  throw conflict(resourceName(target.resource), target.name, because);
}

/** A stale resourceVersion is a conflict. A missing one is allowed by kind. */
function checkVersion({ resource, name }: ObjectTarget, wanted: DraftObject, old: JsonObject): void {
  const version = textAt(wanted, "metadata", "resourceVersion") ?? "";
  const current = textAt(old, "metadata", "resourceVersion");
  if (version === current) return;
  if (version !== "" && version !== "0") {
    if (!/^[0-9]+$/.test(version))
      throw new ApiError(500, "", `strconv.ParseUint: parsing ${quoteGo(version)}: invalid syntax`);
    throw modifiedMeanwhile(resourceName(resource), name);
  }
  if (resource.strategy.allowsUnconditionalUpdate ?? !resource.isCustom) return;
  // kube-apiserver names the resource here, where other Invalid errors name the kind.
  throw invalid({ group: resource.facts.group, kind: resource.facts.resource }, name, [
    invalidValue("metadata.resourceVersion", 0, "must be specified for an update"),
  ]);
}

/** Restores metadata that clients may omit or must not change. */
function carryMetadata(wanted: DraftObject, old: JsonObject): void {
  const metadata = ensureObject(wanted, "metadata");
  const before = objectAt(old, "metadata") ?? {};
  for (const key of ["creationTimestamp", "generation"]) carry(metadata, before, key);
  for (const key of ["uid", "deletionGracePeriodSeconds"]) if (isUnset(metadata[key])) carry(metadata, before, key);
  if (!isUnset(before["deletionTimestamp"]) || isUnset(metadata["deletionTimestamp"]))
    carry(metadata, before, "deletionTimestamp");
  deleteKey(metadata, "selfLink");
  const version = textAt(before, "resourceVersion");
  if (version !== undefined) metadata["resourceVersion"] = version;
}

function isUnset(value: Draft | JsonObject[string] | undefined): boolean {
  return value === undefined || value === null || value === "";
}

function carry(metadata: DraftObject, before: JsonObject, key: string): void {
  const value = before[key];
  if (value === undefined) deleteKey(metadata, key);
  else metadata[key] = copyJson(value);
}

/** Takes all keys except these from `old`. */
function keepAllBut(keys: readonly string[], wanted: DraftObject, old: JsonObject): void {
  for (const key of Object.keys(wanted)) if (!keys.includes(key)) deleteKey(wanted, key);
  for (const [key, value] of Object.entries(old)) if (!keys.includes(key)) wanted[key] = copyJson(value);
}

function keepOnly(keys: readonly string[], wanted: DraftObject, old: JsonObject): void {
  for (const key of keys) {
    const value: Draft | undefined = old[key] === undefined ? undefined : copyJson(old[key]);
    if (value === undefined) deleteKey(wanted, key);
    else wanted[key] = value;
  }
}

/** Increments the generation if anything except metadata and status changed. */
function countGeneration(wanted: DraftObject, old: JsonObject): void {
  const { metadata: _metadata, status: _status, ...desired } = wanted;
  const { metadata: _oldMetadata, status: _oldStatus, ...oldDesired } = old;
  if (isEqualJson(desired, oldDesired)) return;
  const generation = valueAt(old, "metadata", "generation");
  ensureObject(wanted, "metadata")["generation"] = (typeof generation === "number" ? generation : 0) + 1;
}

/** Deletes a marked object without finalizers whose grace period is 0; otherwise stores it. */
function toAttempt({ target }: UpdateRequest, wanted: DraftObject): WriteAttempt {
  const metadata = objectAt(wanted, "metadata") ?? {};
  const isGoing = textAt(metadata, "deletionTimestamp") !== undefined;
  const graceSeconds = metadata["deletionGracePeriodSeconds"] ?? 0;
  const isHeld = (listAt(metadata, "finalizers") ?? []).length > 0 || holdsItself(target, wanted);
  if (isGoing && !isHeld && graceSeconds === 0) return { kind: "delete" };
  const { toStorage } = target.resource;
  if (toStorage === undefined) return { kind: "put", object: wanted };
  const stored = copyJson(wanted);
  toStorage(stored);
  return { kind: "put", object: stored };
}

/** Whether a namespace has finalizers in its spec, in addition to those in its metadata. */
export function holdsItself({ resource }: Pick<ObjectTarget, "resource">, object: JsonObject): boolean {
  return resource.storageId === "namespaces" && (listAt(object, "spec", "finalizers") ?? []).length > 0;
}
