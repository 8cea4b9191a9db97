// SPDX-License-Identifier: Apache-2.0
import { type ApiResponse, textResponse } from "../request/api-request.ts";
import type { ResourceRegistry } from "../resources/resource-registry.ts";
import { noSuchResource } from "../status/api-error.ts";

/** kube-apiserver's response for an unknown path. */
export const pageNotFound: ApiResponse = textResponse(404, "404 page not found\n");

/**
 * The response for a path without a route. In the core group and other built-in groups it throws a Status; elsewhere,
 * custom groups included, it returns plain text.
 */
export function respondUnknownPath(resources: ResourceRegistry, path: string): ApiResponse {
  const [, first, group] = path.split("/");
  if (first === "api") throw noSuchResource();
  if (first === "apis" && group !== undefined && resources.isBuiltinGroup(group)) throw noSuchResource();
  return pageNotFound;
}
