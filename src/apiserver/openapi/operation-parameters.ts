// SPDX-License-Identifier: Apache-2.0
// Query parameters by action. They are inlined: kubectl does not resolve references to them.
import type { JsonObject } from "../json/json.ts";

function query(name: string, type: "string" | "boolean" | "integer"): JsonObject {
  return { name, in: "query", schema: { type, uniqueItems: true } };
}

function inPath(name: string): JsonObject {
  return { name, in: "path", required: true, schema: { type: "string", uniqueItems: true } };
}

const writing = [query("dryRun", "string"), query("fieldManager", "string"), query("fieldValidation", "string")];
const deleting = [
  query("dryRun", "string"),
  query("gracePeriodSeconds", "integer"),
  query("ignoreStoreReadErrorWithClusterBreakingPotential", "boolean"),
  query("orphanDependents", "boolean"),
  query("propagationPolicy", "string"),
];
const listing = [
  query("allowWatchBookmarks", "boolean"),
  query("continue", "string"),
  query("fieldSelector", "string"),
  query("labelSelector", "string"),
  query("limit", "integer"),
  query("resourceVersion", "string"),
  query("resourceVersionMatch", "string"),
  query("sendInitialEvents", "boolean"),
  query("timeoutSeconds", "integer"),
  query("watch", "boolean"),
];

/** The parameters of an action, in addition to those of its path. */
export const actionParameters: Readonly<Record<Action, readonly JsonObject[]>> = {
  get: [],
  list: listing,
  post: writing,
  put: writing,
  patch: [...writing, query("force", "boolean")],
  delete: deleting,
  deletecollection: [...deleting, ...listing.filter(({ name }) => name !== "allowWatchBookmarks" && name !== "watch")],
};

/** `x-kubernetes-action`. */
export type Action = "get" | "list" | "post" | "put" | "patch" | "delete" | "deletecollection";

/** The common parameters of a path's operations. */
export function pathParameters(path: string): readonly JsonObject[] {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name).sort();
  return [...names.map((name) => inPath(name)), query("pretty", "string")];
}
