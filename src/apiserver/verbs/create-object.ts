// SPDX-License-Identifier: Apache-2.0
import { type DraftObject, deleteKey, ensureObject, type JsonObject } from "../json/json.ts";
import { objectAt, textAt } from "../json/json-fields.ts";
import { createUid, generateName } from "../metadata/generate-name.ts";
import { stripManagedFields } from "../metadata/object-meta.ts";
import { formatTime } from "../schema-decode/go-time.ts";
import { ApiError, alreadyExists, badRequest, forbidden, notFound } from "../status/api-error.ts";
import { toServed } from "../storage/render-object.ts";
import { type ApiCluster, type ObjectTarget, resourceName } from "./api-cluster.ts";
import { checkNew } from "./check-object.ts";

/** Names tried for a generateName before the client must retry: kube-apiserver's number. */
const maxNameTries = 8;

export interface CreateOptions {
  readonly isDryRun: boolean;
  /** Throws if the user may not create this object. Called before the object is prepared. */
  readonly check?: (object: JsonObject) => void;
}

/**
 * Creates an object from a decoded body, which it takes over. `target.name` is the name in the path: empty for a POST
 * to the collection. Resolves with the object at the served version.
 */
export async function createObject(
  cluster: ApiCluster,
  target: ObjectTarget,
  body: DraftObject,
  options: CreateOptions,
): Promise<JsonObject> {
  const metadata = ensureObject(body, "metadata");
  checkNamespace(target, metadata);
  if (target.name !== "") metadata["name"] = target.name;
  const isGenerated = (textAt(metadata, "name") ?? "") === "" && (textAt(metadata, "generateName") ?? "") !== "";
  for (let tried = 1; ; tried += 1) {
    const draft = isGenerated ? structuredClone(body) : body;
    const attempt = (): Promise<JsonObject | undefined> => tryCreate(cluster, target, draft, options);
    const created = await inTurn(cluster, target, attempt);
    if (created !== undefined) return created;
    const name = textAt(ensureObject(draft, "metadata"), "name") ?? "";
    if (!isGenerated) throw existsAlready(cluster, target, name);
    if (tried === maxNameTries) throw noFreeName(target, name);
  }
}

/** Runs a write; for a kind that draws from a shared range, after the writes before it. */
export function inTurn<Result>(
  { sharedDraws }: ApiCluster,
  { resource }: ObjectTarget,
  write: () => Promise<Result>,
): Promise<Result> {
  return resource.strategy.drawsFromShared === true ? sharedDraws.run(resource.storageId, write) : write();
}

/** Prepares, checks and stores one object. Undefined if its name is taken. */
async function tryCreate(
  cluster: ApiCluster,
  target: ObjectTarget,
  object: DraftObject,
  options: CreateOptions,
): Promise<JsonObject | undefined> {
  const { resource, namespace } = target;
  const { strategy, storageId } = resource;
  const metadata = ensureObject(object, "metadata");
  strategy.setDefaults?.(object);
  admitToNamespace(cluster, { ...target, name: textAt(metadata, "name") ?? "" });
  options.check?.(object);
  if ((textAt(metadata, "resourceVersion") ?? "") !== "")
    throw new ApiError(500, "", "resourceVersion should not be set on objects to be created");
  fillMetadata(cluster, target, metadata);
  stripManagedFields(object);
  const context = {
    nowMs: cluster.clock.wallMs(),
    random: cluster.random,
    userName: target.user.user,
    user: target.user,
    isDryRun: options.isDryRun,
    objects: cluster.cache,
  };
  if (strategy.prepareForCreate !== undefined) strategy.prepareForCreate(object, context);
  else if (hasStatus(target)) deleteKey(object, "status");
  if (strategy.countsGenerations === true) metadata["generation"] = 1;
  checkNew(resource, object);
  if (strategy.refusal !== undefined) throw new ApiError(501, "", strategy.refusal, { details: {} });
  const name = textAt(metadata, "name") ?? "";
  const place = { resource: storageId, namespace, name };
  if (options.isDryRun) return cluster.cache.get(storageId, namespace, name) === undefined ? object : undefined;
  resource.toStorage?.(object);
  const written = await cluster.writer.write(place, (current) =>
    current === undefined ? { kind: "put", object } : { kind: "keep" },
  );
  return written?.kind === "created" ? toServed(resource, written.object) : undefined;
}

export function hasStatus({ resource }: ObjectTarget): boolean {
  return resource.facts.subresources.some(({ name }) => name === "status");
}

function checkNamespace({ resource, namespace }: ObjectTarget, metadata: DraftObject): void {
  if (resource.facts.namespaced) fillNamespace(namespace, metadata);
  else deleteKey(metadata, "namespace");
}

/** Sets the namespace to the path's. Throws kube-apiserver's 400 if the object names another. */
export function fillNamespace(namespace: string, metadata: DraftObject): void {
  const given = textAt(metadata, "namespace") ?? "";
  if (given !== "" && given !== namespace)
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  metadata["namespace"] = namespace;
}

/** Sets the metadata fields that the server owns. */
function fillMetadata(cluster: ApiCluster, target: ObjectTarget, metadata: DraftObject): void {
  const prefix = textAt(metadata, "generateName") ?? "";
  if ((textAt(metadata, "name") ?? "") === "" && prefix !== "") metadata["name"] = generateName(prefix, cluster.random);
  for (const key of ["deletionTimestamp", "deletionGracePeriodSeconds", "selfLink"]) deleteKey(metadata, key);
  metadata["uid"] = createUid(cluster.random);
  metadata["creationTimestamp"] = formatTime(cluster.clock.wallMs());
  if (!target.resource.facts.namespaced) deleteKey(metadata, "namespace");
}

function existsAlready({ cache }: ApiCluster, { resource, namespace }: ObjectTarget, name: string): ApiError {
  const refusal = alreadyExists(resourceName(resource), name);
  const there = cache.get(resource.storageId, namespace, name);
  const isGoing = there !== undefined && textAt(objectAt(there, "metadata") ?? {}, "deletionTimestamp") !== undefined;
  if (!isGoing) return refusal;
  const { details } = refusal;
  return new ApiError(
    409,
    "AlreadyExists",
    `object is being deleted: ${refusal.message}`,
    details === undefined ? {} : { details },
  );
}

function noFreeName({ resource }: ObjectTarget, name: string): ApiError {
  const { message, details } = alreadyExists(resourceName(resource), name);
  const sentence = `${message}, the server was not able to generate a unique name for the object`;
  return new ApiError(409, "AlreadyExists", sentence, { details: { ...details, retryAfterSeconds: 1 } });
}

/** Refuses to create an object in a namespace that does not exist or is terminating, with kube-apiserver's messages. */
function admitToNamespace({ cache }: ApiCluster, { resource, namespace, name }: ObjectTarget): void {
  if (!resource.facts.namespaced) return;
  const found = cache.get("namespaces", "", namespace);
  if (found === undefined) throw notFound({ group: "", resource: "namespaces" }, namespace);
  if (textAt(found, "status", "phase") !== "Terminating") return;
  const because = `unable to create new content in namespace ${namespace} because it is being terminated`;
  const refusal = forbidden(resourceName(resource), name, because);
  throw new ApiError(403, "Forbidden", refusal.message, {
    details: {
      ...refusal.details,
      causes: [
        {
          reason: "NamespaceTerminating",
          message: `namespace ${namespace} is being terminated`,
          field: "metadata.namespace",
        },
      ],
    },
  });
}
