// SPDX-License-Identifier: Apache-2.0
import { copyJson, type DraftObject, ensureObject, type JsonObject } from "../json/json.ts";
import { numberAt, objectAt, textAt, textsAt } from "../json/json-fields.ts";
import type { DeleteOptions } from "../request/delete-options.ts";
import { formatTime } from "../schema-decode/go-time.ts";
import { ApiError, notFound } from "../status/api-error.ts";
import { toServed } from "../storage/render-object.ts";
import { type ApiCluster, type ObjectTarget, resourceName } from "./api-cluster.ts";
import { holdsItself } from "./update-object.ts";

/** Finalizers that the garbage collector handles before the object is removed. */
export const orphanFinalizer = "orphan";
export const foregroundFinalizer = "foregroundDeletion";

/** The result of a delete: the object at the served version, and whether it is removed. */
export interface Deleted {
  readonly object: JsonObject;
  readonly isGone: boolean;
}

/**
 * Deletes an object, or sets its deletionTimestamp if a grace period or finalizers remain. Throws kube-apiserver's
 * refusals.
 */
export async function deleteObject(
  cluster: ApiCluster,
  target: ObjectTarget,
  options: DeleteOptions,
): Promise<Deleted> {
  const { resource, namespace, name } = target;
  const place = { resource: resource.storageId, namespace, name };
  let decided: Decision | undefined;
  const written = await cluster.writer.write(place, (current) => {
    if (current === undefined) throw notFound(resourceName(resource), name);
    checkPreconditions(target, options, current);
    decided = decideDeletion(cluster, target, options, current);
    if (options.isDryRun) return { kind: "keep" };
    return decided.marked === undefined ? { kind: "delete" } : { kind: "put", object: decided.marked };
  });
  if (written === undefined || decided === undefined) throw notFound(resourceName(resource), name);
  const { marked, isAtOnce } = decided;
  if (options.isDryRun)
    return { object: toServed(resource, marked ?? written.object), isGone: marked === undefined || isAtOnce };
  if (!isAtOnce || marked === undefined)
    return { object: toServed(resource, written.object), isGone: written.kind === "deleted" };
  const gone = await cluster.writer.write(place, (current) => {
    const isSame = current !== undefined && textAt(current, "metadata", "uid") === textAt(marked, "metadata", "uid");
    return isSame ? { kind: "delete" } : { kind: "keep" };
  });
  const last = gone?.kind === "deleted" ? gone.object : written.object;
  return { object: toServed(resource, last), isGone: true };
}

/**
 * A decision on a delete: the object with its deletionTimestamp, if it is marked, and whether it is then removed at
 * once.
 */
interface Decision {
  readonly marked: DraftObject | undefined;
  readonly isAtOnce: boolean;
}

/** Kinds with a grace period are marked even if it is 0, so that watches see both the mark and the deletion. */
function decideDeletion(
  cluster: ApiCluster,
  target: ObjectTarget,
  options: DeleteOptions,
  current: JsonObject,
): Decision {
  const { strategy } = target.resource;
  const draft = copyJson(current);
  const metadata = ensureObject(draft, "metadata");
  const nowMs = cluster.clock.wallMs();
  const wasGoing = textAt(metadata, "deletionTimestamp") !== undefined;
  if (!wasGoing) strategy.prepareForDelete?.(draft, formatTime(nowMs));
  const finalizers = finalizersFor(target, options, metadata);
  const graceSeconds = graceFor(target, options, current);
  const isAtOnce = finalizers.length === 0 && !holdsItself(target, current) && graceSeconds === 0;
  if (isAtOnce && strategy.graceSeconds === undefined) return { marked: undefined, isAtOnce };
  if (finalizers.length > 0) metadata["finalizers"] = [...finalizers];
  else delete metadata["finalizers"];
  if (!wasGoing || graceSeconds < (numberAt(metadata, "deletionGracePeriodSeconds") ?? 0)) {
    metadata["deletionTimestamp"] = formatTime(nowMs + graceSeconds * 1000);
    if (!marksWithoutGrace.has(target.resource.storageId)) metadata["deletionGracePeriodSeconds"] = graceSeconds;
    const generation = numberAt(metadata, "generation");
    if (!wasGoing && generation !== undefined && generation > 0) metadata["generation"] = generation + 1;
  }
  return { marked: draft, isAtOnce };
}

/** Kinds that kube-apiserver marks by code of their own, which sets no deletionGracePeriodSeconds. */
const marksWithoutGrace: ReadonlySet<string> = new Set([
  "namespaces",
  "apiextensions.k8s.io/customresourcedefinitions",
]);

/** The grace period only shrinks. An object that only finalizers hold has a period of 0. */
function graceFor({ resource }: ObjectTarget, options: DeleteOptions, current: JsonObject): number {
  const asked = options.graceSeconds === undefined ? undefined : Math.max(0, options.graceSeconds);
  const graceSeconds = resource.strategy.graceSeconds?.(current, asked) ?? 0;
  const left = numberAt(current, "metadata", "deletionGracePeriodSeconds");
  return left === undefined ? graceSeconds : Math.min(left, asked === undefined ? left : graceSeconds);
}

/** The object's finalizers, with the propagation policy's finalizer added or removed. */
function finalizersFor({ resource }: ObjectTarget, options: DeleteOptions, metadata: JsonObject): readonly string[] {
  const had = textsAt(metadata, "finalizers");
  const fallback = resource.strategy.defaultPropagation === "orphan" ? "Orphan" : "Background";
  const isWished = had.includes(orphanFinalizer) || had.includes(foregroundFinalizer);
  if (options.propagation === undefined && isWished) return had;
  const propagation = options.propagation ?? fallback;
  const others = had.filter((each) => each !== orphanFinalizer && each !== foregroundFinalizer);
  if (propagation === "Orphan") return [...others, orphanFinalizer];
  return propagation === "Foreground" ? [...others, foregroundFinalizer] : others;
}

/** Throws Conflict if the object's uid or resourceVersion differs from the preconditions. */
export function checkPreconditions(
  { resource, name }: ObjectTarget,
  options: DeleteOptions,
  current: JsonObject,
): void {
  const { facts } = resource;
  const metadata = objectAt(current, "metadata") ?? {};
  const uid = textAt(metadata, "uid") ?? "";
  const version = textAt(metadata, "resourceVersion") ?? "";
  const refuse = (because: string): ApiError =>
    new ApiError(
      409,
      "Conflict",
      `Operation cannot be fulfilled on ${facts.kind}${facts.group === "" ? "" : `.${facts.group}`} ${JSON.stringify(name)}: ${because}`,
      {
        details: { name, ...(facts.group === "" ? {} : { group: facts.group }), kind: facts.kind },
      },
    );
  if (options.uid !== undefined && options.uid !== uid)
    throw refuse(
      `the UID in the precondition (${options.uid}) does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
    );
  if (options.resourceVersion !== undefined && options.resourceVersion !== version)
    throw refuse(
      `the ResourceVersion in the precondition (${options.resourceVersion}) does not match the ResourceVersion in record (${version}). The object might have been modified`,
    );
}
