// SPDX-License-Identifier: Apache-2.0
import { type DraftObject, ensureObject, type JsonObject } from "../json/json.ts";
import { listAt, objectAt, textAt } from "../json/json-fields.ts";
import type { ExpectedKind } from "../protobuf/decode-protobuf.ts";
import { checkForm, choosePlainForm } from "../request/accept.ts";
import type { ApiResponse } from "../request/api-request.ts";
import { type DeleteOptions, parseDeleteOptions } from "../request/delete-options.ts";
import { readOther } from "../request/read-body.ts";
import { parseWriteOptions } from "../request/write-options.ts";
import { badRequest, noSuchResource, notFound, notSupportedYet } from "../status/api-error.ts";
import { resourceName, verbNotAllowed } from "../verbs/api-cluster.ts";
import { bindPod } from "../verbs/bind-pod.ts";
import { fillNamespace } from "../verbs/create-object.ts";
import { evictPod } from "../verbs/evict-pod.ts";
import type { ApiContext, ResourceRequest } from "./api-context.ts";
import { checkMediaTypes } from "./check-media-types.ts";
import { findObject, handleGet } from "./read-requests.ts";
import { documentResponse } from "./respond.ts";
import { handleScale } from "./scale-requests.ts";
import { handleTokenRequest } from "./token-requests.ts";
import { handlePatch, handleUpdate, targetOf } from "./write-requests.ts";

/**
 * Answers a request for a subresource. Throws kube-apiserver's 404 and 405, and a refusal for subresources that are not
 * served.
 */
export async function handleSubresource(context: ApiContext, asked: ResourceRequest): Promise<ApiResponse> {
  const { request, attributes, resource } = asked;
  const { subresource, verb } = attributes;
  const known = resource.facts.subresources.find(({ name }) => name === subresource);
  if (known === undefined)
    throw resource.isCustom ? notFound(resourceName(resource), attributes.name) : noSuchResource();
  if (!known.verbs.includes(verb) || request.method === "HEAD") throw verbNotAllowed(resource, verb);
  if (!resource.isCustom) checkMediaTypes(asked);
  switch (subresource) {
    case "approval":
      return handlePart(context, asked, "status");
    case "status":
    case "finalize":
      return handlePart(context, asked, subresource);
    case "scale":
      return handleScale(context, asked);
    case "log":
      return handleLog(context, asked);
    case "binding":
      return handleBinding(context, asked);
    case "eviction":
      return handleEviction(context, asked);
    case "token":
      return handleTokenRequest(context, asked);
    case "ephemeralcontainers":
    case "resize":
      if (verb === "get") return handleGet(context, asked);
  }
  await findObject(context, asked);
  throw notSupportedYet(`${resource.facts.resource}/${subresource}`);
}

function handlePart(context: ApiContext, asked: ResourceRequest, part: "status" | "finalize"): Promise<ApiResponse> {
  checkForm(asked.request.header("accept"), asked.resource.isCustom);
  switch (asked.attributes.verb) {
    case "get":
      return handleGet(context, asked);
    case "update":
      return handleUpdate(context, asked, part);
    default:
      return handlePatch(context, asked, part);
  }
}

async function handleLog(context: ApiContext, asked: ResourceRequest): Promise<ApiResponse> {
  const { podLog } = context.extensions;
  const { namespace, name } = asked.attributes;
  const { query, signal } = asked.request;
  checkContainer(await findObject(context, asked), query.get("container") ?? "");
  if (podLog === undefined) throw notSupportedYet("the log of a Pod that runs nowhere");
  return podLog({ namespace, name }, query, signal);
}

/** Refuses a log request that does not identify one container of the Pod. */
function checkContainer(pod: JsonObject, container: string): void {
  const name = textAt(pod, "metadata", "name") ?? "";
  const names = ["initContainers", "containers", "ephemeralContainers"].flatMap((key) =>
    (listAt(pod, "spec", key) ?? []).map((each) => textAt(each, "name") ?? ""),
  );
  if (container === "") {
    if ((listAt(pod, "spec", "containers") ?? []).length === 1) return;
    throw badRequest(`a container name must be specified for pod ${name}, choose one of: [${names.join(" ")}]`);
  }
  if (!names.includes(container)) throw badRequest(`container ${container} is not valid for pod ${name}`);
}

/** Binds a Pod to a node by setting its nodeName, once. */
async function handleBinding(context: ApiContext, asked: ResourceRequest): Promise<ApiResponse> {
  const { cluster } = context;
  const binding = await readPart(context, asked, { group: "", version: "v1", kind: "Binding" });
  const { isDryRun } = parseWriteOptions(asked.request.query, "CreateOptions");
  if (textAt(binding, "metadata", "name") !== asked.attributes.name)
    throw badRequest("name in URL does not match name in Binding object");
  const mediaType = choosePlainForm(asked.request.header("accept"));
  await bindPod(cluster, targetOf(asked), binding, isDryRun);
  return documentResponse(201, createdStatus, mediaType);
}

/** Deletes a Pod if its PodDisruptionBudget allows that. */
async function handleEviction(context: ApiContext, asked: ResourceRequest): Promise<ApiResponse> {
  const eviction = await readPart(context, asked, { group: "policy", version: "v1", kind: "Eviction" });
  fillNamespace(asked.attributes.namespace, ensureObject(eviction, "metadata"));
  if (textAt(eviction, "metadata", "name") !== asked.attributes.name)
    throw badRequest("name in URL does not match name in Eviction object");
  const mediaType = choosePlainForm(asked.request.header("accept"));
  await evictPod(context.cluster, targetOf(asked), evictionOptions(eviction, asked.request.query));
  return documentResponse(201, createdStatus, mediaType);
}

const createdStatus = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 };

/** The options of the Pod's deletion. A dry run is requested by the query or the body. */
function evictionOptions(eviction: JsonObject, query: URLSearchParams): DeleteOptions {
  const { isDryRun } = parseWriteOptions(query, "CreateOptions");
  const options = parseDeleteOptions(objectAt(eviction, "deleteOptions") ?? {}, new URLSearchParams());
  return { ...options, isDryRun: options.isDryRun || isDryRun };
}

/** Reads a request body of a kind other than the resource's. */
function readPart(
  { table }: ApiContext,
  { request, warnings }: ResourceRequest,
  expected: ExpectedKind,
): Promise<DraftObject> {
  const { fieldValidation: validation } = parseWriteOptions(request.query, "CreateOptions");
  return readOther(request, { table, expected, validation, warnings });
}
