// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../base/error.ts";
import { nameInListOptions } from "./rbac-list-options.ts";

/** A request for an object or a list of objects. Absent parts are empty strings. */
export interface ResourceAttributes {
  readonly kind: "resource";
  /** A Kubernetes verb; empty for an HTTP method that maps to none. */
  readonly verb: string;
  readonly apiGroup: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
}

/** A request for any other path. */
export interface NonResourceAttributes {
  readonly kind: "nonResource";
  /** The HTTP method in lower case. */
  readonly verb: string;
  readonly path: string;
}

/** The attributes of a request that RBAC decides by. */
export type RequestAttributes = ResourceAttributes | NonResourceAttributes;

const verbOfMethod: ReadonlyMap<string, string> = new Map([
  ["POST", "create"],
  ["GET", "get"],
  ["HEAD", "get"],
  ["PUT", "update"],
  ["PATCH", "patch"],
  ["DELETE", "delete"],
]);

const namespaceSubresources: ReadonlySet<string> = new Set(["status", "finalize"]);

/** Path segments without leading and trailing slashes. An empty segment in the middle stays. */
function segmentsOf(path: string): readonly string[] {
  let start = 0;
  let end = path.length;
  while (start < end && path[start] === "/") start += 1;
  while (end > start && path[end - 1] === "/") end -= 1;
  return start === end ? [] : path.slice(start, end).split("/");
}

/** The API group and the segments after the version, or undefined for a path that names no resource. */
function resourcePathOf(path: string): { readonly apiGroup: string; readonly parts: readonly string[] } | undefined {
  const segments = segmentsOf(path);
  const [prefix, second = ""] = segments;
  if (prefix === "api" && segments.length >= 3) return { apiGroup: "", parts: segments.slice(2) };
  if (prefix === "apis" && segments.length >= 4) return { apiGroup: second, parts: segments.slice(3) };
  return undefined;
}

/** True for any value of `watch` except `false` and `0`. The empty value is true. */
function asksToWatch(query: URLSearchParams): boolean {
  const value = query.get("watch");
  return value !== null && value.toLowerCase() !== "false" && value !== "0";
}

/** The verb by HTTP method or by the legacy prefixes `watch` and `proxy`, and the path without that prefix. */
function verbAndParts(method: string, parts: readonly string[]): { verb: string; parts: readonly string[] } {
  const [first] = parts;
  if (first !== "watch" && first !== "proxy") return { verb: verbOfMethod.get(method) ?? "", parts };
  if (parts.length < 2) {
    throw new FlotillaError("INVALID_ARGUMENT", `the path names no resource after "${first}"`);
  }
  return { verb: first, parts: parts.slice(1) };
}

/**
 * The attributes of an HTTP request, as kube-apiserver derives them. `path` is the URL path, percent-decoded once,
 * without any prefix of ours. `query` must be the same parsed query that serves the request; otherwise the check and
 * the action could differ. Throws INVALID_ARGUMENT for a path that ends after the prefix `watch` or `proxy`.
 */
export function attributesOf(method: string, path: string, query: URLSearchParams): RequestAttributes {
  const found = resourcePathOf(path);
  if (found === undefined) return { kind: "nonResource", verb: method.toLowerCase(), path };
  let { verb, parts } = verbAndParts(method, found.parts);
  let namespace = "";
  if (parts[0] === "namespaces" && parts.length > 1) {
    namespace = parts[1] ?? "";
    if (parts.length > 2 && !namespaceSubresources.has(parts[2] ?? "")) parts = parts.slice(2);
  }
  const [resource = "", pathName = "", third = ""] = parts;
  let name = pathName;
  if (name === "" && verb === "get") {
    verb = asksToWatch(query) ? "watch" : "list";
    name = nameInListOptions(query) ?? "";
  } else if (name === "" && verb === "delete") {
    verb = "deletecollection";
  }
  const subresource = verb === "proxy" ? "" : third;
  return { kind: "resource", verb, apiGroup: found.apiGroup, resource, subresource, namespace, name };
}
