// SPDX-License-Identifier: Apache-2.0
// Paths that name no object: discovery, OpenAPI and the version (FA2).

import { type AggregatedVersion, aggregatedDiscovery } from "../../apiserver/discovery/aggregated.ts";
import { apiGroup, apiGroupList, apiResourceList, apiVersions } from "../../apiserver/discovery/legacy.ts";
import { documentResponse } from "../../apiserver/dispatch/respond.ts";
import type { JsonObject } from "../../apiserver/json/json.ts";
import { stringifyJson } from "../../apiserver/json/stringify-json.ts";
import { contentHash } from "../../apiserver/openapi/openapi-index.ts";
import { parseAccept } from "../../apiserver/request/accept.ts";
import { type ApiResponse, textResponse } from "../../apiserver/request/api-request.ts";
import type { ResourceRegistry } from "../../apiserver/resources/resource-registry.ts";
import { loadSchemaTable } from "../../apiserver/schema/load-schema-table.ts";
import { FleetOpenApi } from "./fleet-openapi.ts";

/** A request for a document. */
export interface DocumentAsked {
  /** Below `/fleet-api`, decoded. */
  readonly path: string;
  header(name: string): string | undefined;
}

const encoder = new TextEncoder();
const openApis = new WeakMap<ResourceRegistry, FleetOpenApi>();

/** The encoding of OpenAPI v2 that Go clients request: with `@` before its version, which media types do not allow. */
const gnosticType = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

/** The document at a path; undefined for any other path. */
export function findDocument(registry: ResourceRegistry, asked: DocumentAsked): ApiResponse | undefined {
  const [first = "", second, third, fourth] = asked.path.split("/").filter((segment) => segment !== "");
  if (first === "openapi") return findOpenApi(registry, asked, [second, third]);
  if (fourth !== undefined) return undefined;
  if (first === "version" && second === undefined) return documentResponse(200, versionDocument());
  if (first !== "api" && first !== "apis") return undefined;
  if (second === undefined) return listGroups(registry, asked, first);
  const served = registry.groups.find(({ group }) => group === (first === "api" ? "" : second));
  const version = first === "api" ? second : third;
  if (served === undefined || (first === "api" && third !== undefined)) return undefined;
  if (version === undefined) return documentResponse(200, apiGroup(served));
  const list = served.versions.find((each) => each.version === version);
  return list && documentResponse(200, apiResourceList(list));
}

/** `/api` and `/apis`: all groups with their resources in one document if the client accepts it. */
function listGroups(registry: ResourceRegistry, asked: DocumentAsked, first: "api" | "apis"): ApiResponse {
  const version = aggregatedVersionIn(asked.header("accept"));
  if (version === undefined)
    return documentResponse(200, first === "api" ? apiVersions(asked.header("host") ?? "") : apiGroupList(registry));
  const document = aggregatedDiscovery(registry, `/${first}`, version);
  const headers = { etag: `"${contentHash(document)}"`, vary: "Accept" };
  if (asked.header("if-none-match") === headers.etag)
    return { status: 304, contentType: undefined, body: new Uint8Array(), headers };
  const contentType = `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;
  return { status: 200, contentType, body: encoder.encode(`${stringifyJson(document)}\n`), headers };
}

/** The newest version of the aggregated document that is accepted. */
function aggregatedVersionIn(accept: string | undefined): AggregatedVersion | undefined {
  const accepted = parseAccept(accept).filter(
    ({ type, parameters }) =>
      type === "application/json" &&
      parameters.get("g") === "apidiscovery.k8s.io" &&
      parameters.get("as") === "APIGroupDiscoveryList",
  );
  const versions = ["v2", "v2beta1"] as const;
  return versions.find((version) => accepted.some(({ parameters }) => parameters.get("v") === version));
}

function findOpenApi(
  registry: ResourceRegistry,
  asked: DocumentAsked,
  [version, third]: readonly [string | undefined, string | undefined],
): ApiResponse | undefined {
  const documents = openApis.get(registry) ?? new FleetOpenApi(registry);
  openApis.set(registry, documents);
  if (version === "v2" && third === undefined) {
    const [preferred] = parseAccept(asked.header("accept"));
    if (preferred?.type.replace("@", ".") !== gnosticType) return documentResponse(200, documents.swagger());
    return { status: 200, contentType: gnosticType, body: documents.gnostic() };
  }
  if (version !== "v3") return undefined;
  // As kube-apiserver does, the index is plain text.
  if (third === undefined) return textResponse(200, stringifyJson(documents.index()));
  const document = documents.find(asked.path.replace(/^\/*openapi\/v3\//, ""));
  return document && documentResponse(200, document);
}

/** The Kubernetes version whose kinds are known, with the build suffix `+flotilla`. */
function versionDocument(): JsonObject {
  const { kubernetesVersion } = loadSchemaTable();
  const [major = "", minor = ""] = kubernetesVersion.split(".");
  const build = { gitCommit: "", gitTreeState: "", buildDate: "", goVersion: "", compiler: "", platform: "" };
  return { major, minor, gitVersion: `v${kubernetesVersion}+flotilla`, ...build };
}
