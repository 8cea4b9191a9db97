// SPDX-License-Identifier: Apache-2.0
import type { KubeRequest } from "../../../src/kube/kube-source.ts";
import type { Gvr } from "../../../src/model/gvr.ts";
import type { SimFilter } from "./sim-api-server-store.ts";

/** A request as the simulated server understands it. */
export interface SimRequest {
  /** `other`: about no resource, as discovery and /livez. */
  readonly verb: "get" | "list" | "watch" | "other";
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly gvr?: Gvr;
  /** "" for all namespaces. */
  readonly namespace: string;
  readonly name: string;
}

/** Reads the path of a request. */
export function parseRequest({ path, query = {} }: KubeRequest): SimRequest {
  const parts = path.split("/").slice(1).map(decodeURIComponent);
  const [root = "", ...rest] = parts;
  const [group = "", version, ...tail] = root === "api" ? ["", ...rest] : rest;
  const other: SimRequest = { verb: "other", path, query, namespace: "", name: "" };
  if ((root !== "api" && root !== "apis") || version === undefined || tail.length === 0) return other;
  const isInNamespace = tail[0] === "namespaces" && tail.length > 2;
  const [namespace = "", resource = "", name = ""] = isInNamespace ? tail.slice(1) : ["", ...tail];
  const verb = name !== "" ? "get" : query["watch"] === "true" ? "watch" : "list";
  return { verb, path, query, gvr: { group, version, resource }, namespace, name };
}

/** Which objects a list or watch asks for; undefined for a selector that the server does not know. */
export function filterOf({ namespace, query }: SimRequest): SimFilter | undefined {
  const filters: SimFilter[] = [];
  if (namespace !== "") filters.push((object) => object.namespace === namespace);
  const selector = query["fieldSelector"] ?? "";
  for (const term of selector === "" ? [] : selector.split(",")) {
    const [, field, not, value] = /^metadata\.(name|namespace)(!?)=+([^=]*)$/.exec(term) ?? [];
    if (field === undefined) return undefined;
    const key = field === "name" ? "name" : "namespace";
    filters.push((object) => (object[key] === value) === (not === ""));
  }
  return (object) => filters.every((filter) => filter(object));
}
