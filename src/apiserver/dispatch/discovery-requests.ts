// SPDX-License-Identifier: Apache-2.0
// Discovery and the version: which kinds an API serves.
import { type AggregatedVersion, aggregatedDiscovery } from "../discovery/aggregated.ts";
import { apiGroup, apiGroupList, apiResourceList, apiVersions } from "../discovery/legacy.ts";
import type { JsonObject } from "../json/json.ts";
import { stringifyJson } from "../json/stringify-json.ts";
import { contentHash } from "../openapi/openapi-index.ts";
import { checkRouteAccept, choosePlainForm, parseAccept } from "../request/accept.ts";
import type { ApiRequest, ApiResponse } from "../request/api-request.ts";
import type { ResourceRegistry } from "../resources/resource-registry.ts";
import { methodNotAllowed } from "../status/api-error.ts";
import { documentResponse } from "./respond.ts";

/** The API that is described. */
export interface DescribedApi {
  readonly resources: ResourceRegistry;
  /** The version whose kinds and rules are served, such as `1.36.3`. */
  readonly kubernetesVersion: string;
}

/** The part of a request that decides which document is the answer. */
export type DocumentRequest = Pick<ApiRequest, "method" | "path" | "header">;

const encoder = new TextEncoder();

/** Answers `/version`, `/api`, `/apis` and the groups and versions below them; undefined for any other path. */
export function discoveryResponse(api: DescribedApi, request: DocumentRequest): ApiResponse | undefined {
  const [first = "", second, third, fourth] = request.path.split("/").filter((segment) => segment !== "");
  if ((first === "api" || first === "apis") && second === undefined) return listGroups(api, request, first);
  if (fourth !== undefined) return undefined;
  if (first === "version" && second === undefined) return versionResponse(api, request);
  return describeGroup(api, request, { isCore: first === "api", segments: [first, second, third] });
}

function onlyGet({ method }: DocumentRequest): void {
  if (method !== "GET") throw methodNotAllowed();
}

function versionResponse({ kubernetesVersion }: DescribedApi, request: DocumentRequest): ApiResponse {
  onlyGet(request);
  checkRouteAccept(request.header("accept"), "version");
  return documentResponse(200, versionDocument(kubernetesVersion));
}

/** `/api` and `/apis`, as the aggregated document if the Accept header names it. */
function listGroups(api: DescribedApi, request: DocumentRequest, first: "api" | "apis"): ApiResponse {
  const accept = request.header("accept");
  const version = aggregatedVersionIn(accept);
  if (version !== undefined) return aggregatedResponse(api, request, first === "api" ? "/api" : "/apis", version);
  if (first === "api") checkRouteAccept(accept, "object");
  const body = first === "api" ? apiVersions(request.header("host") ?? "") : apiGroupList(api.resources);
  return documentResponse(200, body, choosePlainForm(accept));
}

/** `/apis/GROUP`, `/apis/GROUP/VERSION` and `/api/v1`. */
function describeGroup(
  { resources }: DescribedApi,
  request: DocumentRequest,
  { isCore, segments: [first, second, third] }: GroupPath,
): ApiResponse | undefined {
  if (isCore ? third !== undefined : first !== "apis") return undefined;
  const served = resources.groups.find(({ group }) => group === (isCore ? "" : second));
  if (served === undefined) return undefined;
  const accept = request.header("accept");
  const version = isCore ? second : third;
  if (version === undefined) {
    onlyGet(request);
    return documentResponse(200, apiGroup(served), choosePlainForm(accept));
  }
  const list = served.versions.find((each) => each.version === version);
  if (list === undefined) return undefined;
  onlyGet(request);
  if (!list.resources.some(({ isCustom }) => isCustom)) checkRouteAccept(accept, "object");
  return documentResponse(200, apiResourceList(list), choosePlainForm(accept));
}

interface GroupPath {
  readonly isCore: boolean;
  readonly segments: readonly [string, string | undefined, string | undefined];
}

/** The newest version of the aggregated document that the Accept header names in JSON, at any position. */
function aggregatedVersionIn(accept: string | undefined): AggregatedVersion | undefined {
  if (accept === undefined || !accept.includes("APIGroupDiscoveryList")) return undefined;
  const clauses = parseAccept(accept).filter(
    ({ type, parameters }) =>
      type === "application/json" &&
      parameters.get("g") === "apidiscovery.k8s.io" &&
      parameters.get("as") === "APIGroupDiscoveryList",
  );
  const versions = ["v2", "v2beta1"] as const;
  return versions.find((version) => clauses.some(({ parameters }) => parameters.get("v") === version));
}

function aggregatedResponse(
  { resources }: DescribedApi,
  request: DocumentRequest,
  path: "/api" | "/apis",
  version: AggregatedVersion,
): ApiResponse {
  const document = aggregatedDiscovery(resources, path, version);
  const body = encoder.encode(`${stringifyJson(document)}\n`);
  const etag = `"${contentHash(document)}"`;
  const contentType = `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;
  const headers = { etag, "cache-control": "public", vary: "Accept" };
  if (request.header("if-none-match") === etag)
    return { status: 304, contentType: undefined, body: new Uint8Array(), headers };
  return { status: 200, contentType, body, headers };
}

/** The Kubernetes version whose kinds and rules are served, with the build suffix `+flotilla`. */
function versionDocument(kubernetesVersion: string): JsonObject {
  const [major = "", minor = ""] = kubernetesVersion.split(".");
  return {
    major,
    minor,
    emulationMajor: major,
    emulationMinor: minor,
    minCompatibilityMajor: major,
    minCompatibilityMinor: String(Number(minor) - 1),
    gitVersion: `v${kubernetesVersion}+flotilla`,
    gitCommit: "",
    gitTreeState: "",
    buildDate: "",
    goVersion: "",
    compiler: "",
    platform: "",
  };
}
