// SPDX-License-Identifier: Apache-2.0
import { type ApiResponse, textResponse } from "../request/api-request.ts";
import type { ResourceRegistry } from "../resources/resource-registry.ts";
import { noSuchResource } from "../status/api-error.ts";

/** What the real server answers for a path that it does not know. */
export const pageNotFound: ApiResponse = textResponse(404, "404 page not found\n");

/** The answer where no route leads: a Status below the core group and other built-in groups, plain text elsewhere, custom groups included. Throws the Status. */
export function nothingThere(resources: ResourceRegistry, path: string): ApiResponse {
  const [, first, group] = path.split("/");
  if (first === "api") throw noSuchResource();
  if (first === "apis" && group !== undefined && resources.isBuiltinGroup(group)) throw noSuchResource();
  return pageNotFound;
}
