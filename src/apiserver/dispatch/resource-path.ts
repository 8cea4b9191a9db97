// SPDX-License-Identifier: Apache-2.0
import type { ResourceAttributes } from "../../rbac/attributes.ts";
import { type ApiResponse, textResponse } from "../request/api-request.ts";
import type { ResourceRegistry } from "../resources/resource-registry.ts";
import { noSuchResource } from "../status/api-error.ts";

/** The group and version in a path. */
export interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

/** The group and version of a path below `/api` or `/apis`; undefined for any other. */
export function groupVersionOf(path: string): GroupVersion | undefined {
  const [first, second = "", third = ""] = path.split("/").filter((segment) => segment !== "");
  if (first === "api" && second !== "") return { group: "", version: second };
  if (first === "apis" && second !== "" && third !== "") return { group: second, version: third };
  return undefined;
}

/** How kube-apiserver reads the path of a resource request: a collection, one object, or a subresource. */
export type PathShape = "collection" | "object" | "subresource";

export function shapeOf({ name, subresource, verb }: ResourceAttributes): PathShape {
  // A list or watch can name one object by its field selector; it still addresses the collection.
  if (verb === "list" || verb === "watch" || verb === "deletecollection" || name === "") return "collection";
  return subresource === "" ? "object" : "subresource";
}

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
