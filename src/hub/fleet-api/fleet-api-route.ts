// SPDX-License-Identifier: Apache-2.0
// `/fleet-api/*`: a read-only Kubernetes API over the rows of all clusters (docs/spec/fleet-api.md).
import { refusal } from "../../apiserver/dispatch/handle-request.ts";
import { groupVersionOf, shapeOf } from "../../apiserver/dispatch/resource-path.ts";
import { answerHeaders } from "../../apiserver/http/send-http.ts";
import type { ApiResponse } from "../../apiserver/request/api-request.ts";
import { parseBoolean } from "../../apiserver/request/list-options.ts";
import { checkTimeout } from "../../apiserver/request/timeout.ts";
import type { Resource } from "../../apiserver/resources/resource.ts";
import { ApiError, badRequest, noSuchResource } from "../../apiserver/status/api-error.ts";
import { isCancellation } from "../../base/abort.ts";
import { assert } from "../../base/assert.ts";
import { fleetApiGroup } from "../../model/names.ts";
import type { Subject } from "../../model/subject.ts";
import { attributesOf, type ResourceAttributes } from "../../rbac/attributes.ts";
import { authorize } from "../../rpc/auth/authorize-call.ts";
import type { RawRequest, RawRoute } from "../../rpc/http/raw-route.ts";
import { notServed, toFleetApiError } from "./fleet-api-errors.ts";
import type { FleetApiParts } from "./fleet-api-parts.ts";
import { findDocument } from "./fleet-documents.ts";
import { FleetKindCatalog } from "./fleet-kind-catalog.ts";
import { listFleetRows } from "./list-fleet-rows.ts";
import { ListedKeys } from "./listed-keys.ts";
import { readFleetObject } from "./read-fleet-object.ts";
import { watchFleetRows } from "./watch-fleet-rows.ts";

const prefix = "/fleet-api";

/** Longest path and query in characters. The longest selectors, percent-encoded, and a continue token fit. */
const maxUrlLength = 16_384;

/**
 * The route of the fleet API. Every authenticated caller reaches it, so that a refusal is a Status that kubectl prints;
 * each request needs the permission to list rows, a watch also that to watch them (FA1).
 */
export function createFleetApiRoute(parts: FleetApiParts): RawRoute {
  const shared = { parts, catalog: new FleetKindCatalog(parts.reader, parts.clock), listed: new ListedKeys() };
  return {
    path: `${prefix}/`,
    match: "prefix",
    access: { kind: "authenticated" },
    async raw(request) {
      const answer = await answerRequest(shared, request).catch((reason: unknown) => {
        if (isCancellation(request.signal, reason)) throw reason;
        const { method, log, header } = request;
        return refusal({ log }, { method, path: prefix, header }, toFleetApiError(reason, request.requestId));
      });
      return { status: answer.status, headers: answerHeaders(answer), body: answer.body };
    },
  };
}

/** What all requests share. */
interface SharedState {
  readonly parts: FleetApiParts;
  readonly catalog: FleetKindCatalog;
  readonly listed: ListedKeys;
}

async function answerRequest({ parts, catalog, listed }: SharedState, request: RawRequest): Promise<ApiResponse> {
  const { caller, method, query, log, requestId, signal } = request;
  assert(caller !== undefined, "a route for authenticated callers has a caller");
  const { subject } = caller;
  await assertMay("list", { parts, subject, request });
  checkBounds(request);
  if (method !== "GET" && method !== "HEAD") throw notServed(method, "", "");
  const path = pathBelow(request.path);
  checkTimeout(query);
  const header = (name: string): string | undefined => request.header(name);
  const attributes = attributesOf("GET", path, query);
  const registry = await catalog.load();
  if (attributes.kind === "nonResource") {
    const document = findDocument(registry, { method: "GET", path, header });
    if (document === undefined) throw noSuchResource();
    return document;
  }
  const resource = await findResource(catalog, path, attributes);
  const asked = { parts, listed, subject, requestId, log, signal, query, header, attributes, resource, registry };
  const shape = shapeOf(attributes);
  if (shape === "subresource" || attributes.verb === "proxy")
    throw notServed(method, resource.facts.resource, attributes.subresource || "proxy");
  if (shape === "object") return readFleetObject(asked);
  if (attributes.verb !== "watch") return listFleetRows(asked);
  // Kubernetes' deprecated paths below `watch/`.
  if (parseBoolean(query, "watch") !== true) throw noSuchResource();
  await assertMay("watch", { parts, subject, request });
  return watchFleetRows(asked);
}

/** The resource at a path. Throws NotFound if the fleet has none, or not in that scope. */
async function findResource(
  catalog: FleetKindCatalog,
  path: string,
  { resource: plural, namespace, name, verb }: ResourceAttributes,
): Promise<Resource> {
  const { group, version } = groupVersionOf(path) ?? { group: "", version: "" };
  const found = await catalog.find(group, version, plural);
  if (found === undefined) throw noSuchResource();
  const isOne = verb === "get" && name !== "";
  const { namespaced } = found.facts;
  const isNamespaces = group === "" && plural === "namespaces";
  if (namespaced ? isOne && namespace === "" : namespace !== "" && !isNamespaces) throw noSuchResource();
  return found;
}

interface Asking {
  readonly parts: FleetApiParts;
  readonly subject: Subject;
  readonly request: RawRequest;
}

/** Throws PERMISSION_DENIED unless the hub allows the subject to list or watch rows (L16). */
function assertMay(verb: "list" | "watch", { parts, subject, request }: Asking): Promise<void> {
  const rows = { kind: "resource", apiGroup: fleetApiGroup, resource: "rows" } as const;
  const needed = { ...rows, verb, subresource: "", namespace: "", name: "" };
  return authorize(parts.authorizer, subject, needed, request.log);
}

/** Refuses what would be long, and impersonation: ignored, it would answer as another user than was asked for. */
function checkBounds({ url, headers }: RawRequest): void {
  if (url.length > maxUrlLength)
    throw new ApiError(414, "", `the path and query are longer than ${maxUrlLength} characters; use shorter selectors`);
  if (Object.keys(headers).some((name) => name.startsWith("impersonate-")))
    throw badRequest("the fleet API does not impersonate; use a token of the other user");
}

/** The path below `/fleet-api`, percent-decoded once. */
function pathBelow(path: string): string {
  try {
    return decodeURIComponent(path.slice(prefix.length));
  } catch (reason) {
    if (!(reason instanceof URIError)) throw reason;
    throw badRequest("the path of the request is not well-formed");
  }
}
