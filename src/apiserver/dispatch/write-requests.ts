// SPDX-License-Identifier: Apache-2.0
import { checkGrants } from "../access/check-grants.ts";
import type { CustomResource } from "../crd/definition/compile-crd.ts";
import { copyJson, type DraftObject, isObject, type JsonObject } from "../json/json.ts";
import { textAt } from "../json/json-fields.ts";
import { chooseForm } from "../request/accept.ts";
import type { ApiResponse } from "../request/api-request.ts";
import { parseDeleteOptions } from "../request/delete-options.ts";
import { type ListOptions, parseListOptions } from "../request/list-options.ts";
import { readDeleteOptions, readObject } from "../request/read-body.ts";
import { parseWriteOptions, type WriteOptions } from "../request/write-options.ts";
import { badRequest, forbidden, notSupportedYet } from "../status/api-error.ts";
import { successStatus } from "../status/status-object.ts";
import { listPage } from "../storage/list-cached.ts";
import { Selection } from "../storage/object-selection.ts";
import { type ObjectTarget, resourceName } from "../verbs/api-cluster.ts";
import { createObject } from "../verbs/create-object.ts";
import { decodePatched } from "../verbs/decode-patched.ts";
import { deleteObject } from "../verbs/delete-object.ts";
import { applyPatch, type PatchType, parsePatch, patchTypeOf } from "../verbs/patch-object.ts";
import { type Updated, updateObject, type WrittenPart } from "../verbs/update-object.ts";
import type { ApiContext, ResourceRequest } from "./api-context.ts";
import { documentResponse, listResponse, objectResponse, parseIncludeObject } from "./respond.ts";

const decoder = new TextDecoder();

/** Concurrent deletes of one deletecollection: a large collection must not block other requests. */
const deletePieceCount = 64;

export function targetOf({ resource, attributes, user }: ResourceRequest): ObjectTarget {
  return { resource, namespace: resource.facts.namespaced ? attributes.namespace : "", name: attributes.name, user };
}

/** POST to a collection. */
export async function handleCreate(context: ApiContext, asked: ResourceRequest): Promise<ApiResponse> {
  const { request, resource, warnings } = asked;
  const options = parseWriteOptions(request.query, "CreateOptions");
  const object = await readObject(request, {
    table: context.table,
    resource,
    validation: options.fieldValidation,
    warnings,
  });
  if (resource.isCustom) refuseTerminating(asked, object);
  const target = { ...targetOf(asked), name: "" };
  const strategyWarnings = resource.strategy.warnings?.(object, undefined) ?? [];
  const created = await createObject(context.cluster, target, object, {
    ...options,
    check: (wanted) => checkGrants(context, target, wanted, undefined),
  });
  for (const text of strategyWarnings) warnings.add(text);
  return answer(context, asked, 201, created);
}

/** PUT of an object or of a subresource. */
export async function handleUpdate(
  context: ApiContext,
  asked: ResourceRequest,
  part: WrittenPart,
): Promise<ApiResponse> {
  const { request, resource, warnings } = asked;
  const options = parseWriteOptions(request.query, "UpdateOptions");
  const object = await readObject(request, {
    table: context.table,
    resource,
    validation: options.fieldValidation,
    warnings,
  });
  const target = targetOf(asked);
  checkNames(target, object);
  const updated = await updateObject(context.cluster, {
    target,
    part,
    isDryRun: options.isDryRun,
    mayCreate: part === "",
    uid: textAt(object, "metadata", "uid") ?? "",
    change: () => copyJson(object),
    check: (wanted, old) => checkGrants(context, target, wanted, old),
  });
  tellWarnings(asked, updated);
  return answer(context, asked, updated.isCreated ? 201 : 200, updated.object);
}

/** PATCH of an object or of a subresource. */
export async function handlePatch(
  context: ApiContext,
  asked: ResourceRequest,
  part: WrittenPart,
): Promise<ApiResponse> {
  const { table } = context;
  const { request, resource, warnings } = asked;
  const { type, options } = readPatchKind(asked);
  const { isDryRun, fieldValidation: validation } = options;
  const { value: patch, duplicates } = parsePatch(decoder.decode(await request.body()), type);
  const target = targetOf(asked);
  const updated = await updateObject(context.cluster, {
    target,
    part,
    isDryRun,
    mayCreate: false,
    change: (old = {}) => {
      const patched = applyPatch(type, resource, table, { object: old, patch });
      const object = decodePatched({ table, resource, type, patch, duplicates, validation, warnings }, patched);
      checkNames(target, object);
      return object;
    },
    check: (wanted, old) => checkGrants(context, target, wanted, old),
  });
  tellWarnings(asked, updated);
  return answer(context, asked, 200, updated.object);
}

/** The type and options of a patch. Throws a refusal for server-side apply. */
export function readPatchKind({ request, resource }: ResourceRequest): {
  readonly type: PatchType;
  readonly options: WriteOptions;
} {
  const type = patchTypeOf(request.header("content-type") ?? "", resource);
  const options = parseWriteOptions(request.query, "PatchOptions", type === "apply");
  if (type === "apply") throw notSupportedYet("server-side apply");
  return { type, options };
}

function tellWarnings({ resource, warnings }: ResourceRequest, { object, old }: Updated): void {
  for (const text of resource.strategy.warnings?.(object, old) ?? []) warnings.add(text);
}

/** Jobs are the only kind whose dependents are orphaned by default. */
const jobsOrphan =
  "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning";

/** DELETE of one object. */
export async function handleDelete(context: ApiContext, asked: ResourceRequest): Promise<ApiResponse> {
  const { request, resource } = asked;
  const options = parseDeleteOptions(await readDeleteOptions(request, context.table), request.query);
  if (options.propagation === undefined && resource.storageId === "batch/jobs") asked.warnings.add(jobsOrphan);
  const { object, isGone } = await deleteObject(context.cluster, targetOf(asked), options);
  if (!isGone) return answer(context, asked, options.isOrphanDependentsFalse ? 202 : 200, object);
  if (resource.strategy.returnsDeleted === true) return answer(context, asked, 200, object);
  const { group, resource: kind } = resource.facts;
  const details = { name: asked.attributes.name, group, kind, uid: textAt(object, "metadata", "uid") ?? "" };
  return documentResponse(
    200,
    successStatus(details),
    chooseForm(request.header("accept"), resource.isCustom).mediaType,
  );
}

/** DELETE of a collection, filtered by selectors. Responds with the list of deleted objects. */
export async function handleDeleteCollection(context: ApiContext, asked: ResourceRequest): Promise<ApiResponse> {
  const { cluster } = context;
  const { request, resource, attributes } = asked;
  const form = chooseForm(request.header("accept"), resource.isCustom);
  const includeObject = parseIncludeObject(request.query);
  const options = parseDeleteOptions(await readDeleteOptions(request, context.table), request.query);
  const listOptions = parseListOptions(request.query);
  const namespace = resource.facts.namespaced && attributes.namespace !== "" ? attributes.namespace : undefined;
  const selection = new Selection(resource, { namespace }, listOptions);
  const page = await listPage(cluster, resource, selection, atVersion(listOptions));
  for (let at = 0; at < page.items.length; at += deletePieceCount) {
    const piece = page.items.slice(at, at + deletePieceCount);
    await Promise.all(
      piece.map(async (item) => {
        const target = { ...targetOf(asked), namespace: item.namespace, name: item.name };
        try {
          await deleteObject(cluster, target, options);
        } catch (reason) {
          if (!isNotFound(reason)) throw reason;
        }
      }),
    );
  }
  return listResponse({
    resource,
    page,
    form,
    includeObject,
    nowMs: cluster.clock.wallMs(),
    parse: (cached) => cluster.cache.parsed(cached),
  });
}

/** kube-apiserver deletes a collection in pages, and a page with a resourceVersion is read at exactly that version. */
function atVersion(options: ListOptions): ListOptions {
  const isNamed = options.resourceVersion !== "" && options.resourceVersion !== "0";
  return options.match === "" && isNamed ? { ...options, match: "Exact" } : options;
}

/** Responds with the object in the requested representation. */
export function answer(
  context: ApiContext,
  { request, resource }: ResourceRequest,
  status: number,
  object: JsonObject,
): ApiResponse {
  return objectResponse(status, {
    resource,
    object,
    form: chooseForm(request.header("accept"), resource.isCustom),
    includeObject: parseIncludeObject(request.query),
    nowMs: context.cluster.clock.wallMs(),
  });
}

/** Requires the object's name, and its namespace if set, to match the path. */
export function checkNames({ name, namespace }: ObjectTarget, object: DraftObject): void {
  const given = textAt(object, "metadata", "name") ?? "";
  if (given === "")
    throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  if (given !== name)
    throw badRequest(`the name of the object (${given}) does not match the name on the URL (${name})`);
  const givenNamespace = textAt(object, "metadata", "namespace") ?? "";
  if (givenNamespace !== "" && givenNamespace !== namespace)
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  const { metadata } = object;
  if (isObject(metadata) && namespace !== "") metadata["namespace"] = namespace;
}

/** A terminating definition accepts no new objects; otherwise its deletion might never complete. */
function refuseTerminating({ resource }: ResourceRequest, object: JsonObject): void {
  if (!(resource as CustomResource).isTerminating) return;
  const because = "create not allowed while custom resource definition is terminating";
  throw forbidden(resourceName(resource), textAt(object, "metadata", "name") ?? "", because);
}

function isNotFound(reason: unknown): boolean {
  return reason instanceof Error && "reason" in reason && reason.reason === "NotFound";
}
