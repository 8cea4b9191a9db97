// SPDX-License-Identifier: Apache-2.0
import { checkRouteAccept } from "../request/accept.ts";
import { ApiError } from "../status/api-error.ts";
import { patchTypesOf } from "../verbs/patch-object.ts";
import type { ResourceRequest } from "./api-context.ts";

/**
 * Refuses unsupported patch types and Accept headers before the request is read, as kube-apiserver's routes of built-in
 * resources do. Custom resources have no routes of their own.
 */
export function checkMediaTypes({ request, attributes, resource }: ResourceRequest): void {
  if (request.method === "PATCH") {
    const type = request.header("content-type")?.split(";", 1)[0]?.trim() ?? "";
    if (!patchTypesOf(resource).includes(type))
      throw new ApiError(415, "UnsupportedMediaType", "415: Unsupported Media Type", { details: {} });
  }
  const isList = attributes.verb === "list" || attributes.verb === "watch";
  checkRouteAccept(request.header("accept"), isList ? "list" : "object");
}
