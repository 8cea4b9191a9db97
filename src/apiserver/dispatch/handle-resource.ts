// SPDX-License-Identifier: Apache-2.0
import type { CustomResource } from "../crd/definition/compile-crd.ts";
import { checkForm } from "../request/accept.ts";
import type { ApiResponse } from "../request/api-request.ts";
import { methodNotAllowed } from "../status/api-error.ts";
import { verbNotAllowed } from "../verbs/api-cluster.ts";
import type { ApiContext, ResourceRequest } from "./api-context.ts";
import { checkMediaTypes } from "./check-media-types.ts";
import { handleGet, handleList } from "./read-requests.ts";
import { respondUnknownPath, shapeOf } from "./resource-path.ts";
import { handleReview } from "./review-requests.ts";
import { handleSubresource } from "./subresource-requests.ts";
import { handleCreate, handleDelete, handleDeleteCollection, handlePatch, handleUpdate } from "./write-requests.ts";

/** Verbs on a collection; all others are on one object. */
const collectionVerbs: ReadonlySet<string> = new Set(["list", "watch", "create", "deletecollection"]);

/** Verbs that custom resources support across namespaces. */
const readVerbs: ReadonlySet<string> = new Set(["list", "watch"]);

/** Answers an authorized request for a served resource. Throws an ApiError to refuse. */
export async function handleResource(context: ApiContext, asked: ResourceRequest): Promise<ApiResponse> {
  const { request, attributes, resource } = asked;
  const { facts, isCustom } = resource;
  const shape = shapeOf(attributes);
  const isOnItself = facts.resource === "namespaces" && facts.group === "";
  const isAcrossNamespaces = isCustom ? readVerbs.has(attributes.verb) : shape === "collection";
  const isInWrongPlace = facts.namespaced
    ? attributes.namespace === "" && !isAcrossNamespaces
    : attributes.namespace !== "" && !isOnItself;
  if (isInWrongPlace) return respondUnknownPath(context.cluster.resources, request.path);
  if (isCustom) warnOfDeprecation(asked);
  return shape === "subresource"
    ? handleSubresource(context, asked)
    : handleVerb(context, asked, shape === "collection");
}

function handleVerb(context: ApiContext, asked: ResourceRequest, isOnCollection: boolean): Promise<ApiResponse> {
  const { request, attributes, resource } = asked;
  const { facts, isCustom } = resource;
  const { verb } = attributes;
  const isRouted = isOnCollection === collectionVerbs.has(verb) && (isCustom || request.method !== "HEAD");
  if (!isRouted || !facts.verbs.includes(verb)) throw verbNotAllowed(resource, verb);
  const isWrite = verb === "create" || verb === "deletecollection";
  if (isWrite && facts.namespaced && attributes.namespace === "") throw methodNotAllowed();
  if (!isCustom) {
    checkMediaTypes(asked);
    warnOfDeprecation(asked);
  }
  if (!isReview(asked)) checkForm(request.header("accept"), isCustom);
  switch (verb) {
    case "get":
      return handleGet(context, asked);
    case "list":
    case "watch":
      return handleList(context, asked);
    case "create":
      return isReview(asked) ? handleReview(context, asked) : handleCreate(context, asked);
    case "update":
      return handleUpdate(context, asked, "");
    case "patch":
      return handlePatch(context, asked, "");
    case "delete":
      return handleDelete(context, asked);
    default:
      return handleDeleteCollection(context, asked);
  }
}

/** Deprecated built-in resources, with kube-apiserver's warnings. */
const deprecated: ReadonlyMap<string, string> = new Map([
  ["endpoints", "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"],
]);

/** Every response for a deprecated resource has a warning. */
function warnOfDeprecation({ resource, warnings }: ResourceRequest): void {
  const text = resource.isCustom ? (resource as CustomResource).deprecationWarning : deprecated.get(resource.storageId);
  if (text !== undefined) warnings.add(text);
}

/** Reviews are answered and never stored. */
function isReview({ resource: { facts } }: ResourceRequest): boolean {
  return facts.group === "authorization.k8s.io" || facts.group === "authentication.k8s.io";
}
