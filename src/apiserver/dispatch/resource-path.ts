// SPDX-License-Identifier: Apache-2.0
import type { ResourceAttributes } from "../../rbac/attributes.ts";

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
