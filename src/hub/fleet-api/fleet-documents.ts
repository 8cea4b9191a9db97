// SPDX-License-Identifier: Apache-2.0
// Paths that name no object: discovery, OpenAPI and the version (FA2).
import { type DocumentRequest, discoveryResponse } from "../../apiserver/dispatch/discovery-requests.ts";
import { documentResponse } from "../../apiserver/dispatch/respond.ts";
import { stringifyJson } from "../../apiserver/json/stringify-json.ts";
import { parseAccept } from "../../apiserver/request/accept.ts";
import { type ApiResponse, textResponse } from "../../apiserver/request/api-request.ts";
import type { ResourceRegistry } from "../../apiserver/resources/resource-registry.ts";
import { loadSchemaTable } from "../../apiserver/schema/load-schema-table.ts";
import { FleetOpenApi } from "./fleet-openapi.ts";

const openApis = new WeakMap<ResourceRegistry, FleetOpenApi>();

/** The encoding of OpenAPI v2 that Go clients request: with `@` before its version, which media types do not allow. */
const gnosticType = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

/** The document at a path below `/fleet-api`; undefined for any other path. */
export function findDocument(resources: ResourceRegistry, request: DocumentRequest): ApiResponse | undefined {
  const [first, second, third] = request.path.split("/").filter((segment) => segment !== "");
  if (first === "openapi") return findOpenApi(resources, request, [second, third]);
  return discoveryResponse({ resources, kubernetesVersion: loadSchemaTable().kubernetesVersion }, request);
}

function findOpenApi(
  resources: ResourceRegistry,
  request: DocumentRequest,
  [version, third]: readonly [string | undefined, string | undefined],
): ApiResponse | undefined {
  const documents = openApis.get(resources) ?? new FleetOpenApi(resources);
  openApis.set(resources, documents);
  if (version === "v2" && third === undefined) {
    const [preferred] = parseAccept(request.header("accept"));
    if (preferred?.type.replace("@", ".") !== gnosticType) return documentResponse(200, documents.swagger());
    return { status: 200, contentType: gnosticType, body: documents.gnostic() };
  }
  if (version !== "v3") return undefined;
  // As kube-apiserver does, the index is plain text.
  if (third === undefined) return textResponse(200, stringifyJson(documents.index()));
  const document = documents.find(request.path.replace(/^\/*openapi\/v3\//, ""));
  return document && documentResponse(200, document);
}
