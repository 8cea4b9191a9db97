// SPDX-License-Identifier: Apache-2.0
import { checkRouteAccept } from "../request/accept.ts";
import { ApiError } from "../status/api-error.ts";
import { patchTypesOf } from "../verbs/patch-object.ts";
import type { ResourceRequest } from "./api-context.ts";

/** Refuses what the routes of built-in resources refuse before anybody looks at the request: types of patches and of answers. Custom resources have no routes. */
export function checkRoute({ request, attributes, resource }: ResourceRequest): void {
  if (request.method === "PATCH") {
    const type = request.header("content-type")?.split(";", 1)[0]?.trim() ?? "";
    if (!patchTypesOf(resource).includes(type))
      throw new ApiError(415, "UnsupportedMediaType", "415: Unsupported Media Type", { details: {} });
  }
  const isList = attributes.verb === "list" || attributes.verb === "watch";
  checkRouteAccept(request.header("accept"), isList ? "list" : "object");
}
