// SPDX-License-Identifier: Apache-2.0
import {
  copyJson,
  type DraftObject,
  ensureObject,
  type JsonObject,
  listAt,
  numberAt,
  objectAt,
  textAt,
} from "../json/json.ts";
import { formatTime } from "../metadata/time-text.ts";
import type { DeleteOptions } from "../request/delete-options.ts";
import { ApiError, notFound } from "../status/api-error.ts";
import { toServed } from "../storage/render-object.ts";
import { type ApiCluster, type ObjectTarget, resourceName } from "./api-cluster.ts";
import { holdsItself } from "./update-object.ts";

/** Finalizers by which the garbage collector is asked to work before the object goes. */
export const orphanFinalizer = "orphan";
export const foregroundFinalizer = "foregroundDeletion";

/** What came of a delete: the object, at the served version, and whether it is gone. */
export interface Deleted {
  readonly object: JsonObject;
  readonly isGone: boolean;
}

/** Deletes an object, or marks it and leaves it to its grace period and finalizers. Throws what the real server answers. */
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

/** What a delete does: the object as it is marked, if it is, and whether it then goes at once. */
interface Decision {
  readonly marked: DraftObject | undefined;
  readonly isAtOnce: boolean;
}

/** Kinds with a period of grace are marked first even where none is left: whoever watches sees both. */
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

/** Kinds that the real server marks by code of their own, which says nothing of grace. */
const marksWithoutGrace: ReadonlySet<string> = new Set([
  "namespaces",
  "apiextensions.k8s.io/customresourcedefinitions",
]);

/** Grace only ever shrinks, and an object that is held by finalizers alone has none. */
function graceFor({ resource }: ObjectTarget, options: DeleteOptions, current: JsonObject): number {
  const asked = options.graceSeconds === undefined ? undefined : Math.max(0, options.graceSeconds);
  const graceSeconds = resource.strategy.graceSeconds?.(current, asked) ?? 0;
  const left = numberAt(current, "metadata", "deletionGracePeriodSeconds");
  return left === undefined ? graceSeconds : Math.min(left, asked === undefined ? left : graceSeconds);
}

/** The finalizers an object has once the wish about its dependents is written into them. */
function finalizersFor({ resource }: ObjectTarget, options: DeleteOptions, metadata: JsonObject): readonly string[] {
  const had = (listAt(metadata, "finalizers") ?? []).filter((each) => typeof each === "string");
  const fallback = resource.strategy.defaultPropagation === "orphan" ? "Orphan" : "Background";
  const isWished = had.includes(orphanFinalizer) || had.includes(foregroundFinalizer);
  if (options.propagation === undefined && isWished) return had;
  const propagation = options.propagation ?? fallback;
  const others = had.filter((each) => each !== orphanFinalizer && each !== foregroundFinalizer);
  if (propagation === "Orphan") return [...others, orphanFinalizer];
  return propagation === "Foreground" ? [...others, foregroundFinalizer] : others;
}

/** Throws Conflict where the object is not the one, or not at the resourceVersion, that the options name. */
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
