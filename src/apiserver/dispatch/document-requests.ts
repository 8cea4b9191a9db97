// SPDX-License-Identifier: Apache-2.0
// Paths that name no object: discovery, OpenAPI, version, health.
import type { ApiRequest, ApiResponse } from "../request/api-request.ts";
import type { ApiContext } from "./api-context.ts";
import { discoveryResponse } from "./discovery-requests.ts";
import { healthResponse } from "./health-requests.ts";
import { openApiResponse } from "./openapi-requests.ts";

/** Answers a request for a document; undefined for any other path. */
export async function handleDocument(context: ApiContext, request: ApiRequest): Promise<ApiResponse | undefined> {
  const segments = request.path.split("/").filter((segment) => segment !== "");
  const [first, second, third] = segments;
  const health = healthResponse(segments, request.query);
  if (health !== undefined) return health;
  if (first === "openapi") {
    const path = third === undefined ? "" : request.path.slice("/openapi/v3/".length);
    return openApiResponse(context, request, second, path);
  }
  const { cluster, table } = context;
  return discoveryResponse({ resources: cluster.resources, kubernetesVersion: table.kubernetesVersion }, request);
}
