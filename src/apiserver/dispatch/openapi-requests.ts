// SPDX-License-Identifier: Apache-2.0
import { stringifyJson } from "../json/stringify-json.ts";
import { contentHash, openApiIndex } from "../openapi/openapi-index.ts";
import { groupVersionPath } from "../openapi/resource-paths.ts";
import { type ApiRequest, type ApiResponse, jsonType, textResponse } from "../request/api-request.ts";
import type { ResourceRegistry, ServedVersion } from "../resources/resource-registry.ts";
import type { ApiContext } from "./api-context.ts";
import { customIn, openApiDocument } from "./openapi-documents.ts";
import { documentResponse } from "./respond.ts";
import { swaggerResponse } from "./swagger-requests.ts";

const yearMs = 365 * 24 * 3600 * 1000;

interface HashedDocument extends Pick<ServedVersion, "group" | "version"> {
  readonly hash: string;
}

/**
 * Hashes of the documents of built-in groups. They are the same in every cluster of the process and slow to compute.
 */
const builtinHashes = new Map<string, string>();
/** Hashes of all documents of a registry, valid for one revision of the registry. */
const customHashes = new WeakMap<
  ResourceRegistry,
  { readonly revision: number; readonly documents: readonly HashedDocument[] }
>();

/** Answers `/openapi/v2`, `/openapi/v3` and the documents below it. */
export function openApiResponse(
  context: ApiContext,
  request: ApiRequest,
  version: string | undefined,
  path: string,
): ApiResponse | Promise<ApiResponse> {
  if (version === "v2" && path === "" && !request.path.endsWith("/")) return swaggerResponse(context, request);
  if (version !== "v3") return textResponse(404, "404 page not found\n");
  const documents = allDocuments(context);
  // kube-apiserver serves its index as plain text.
  if (path === "" && !request.path.endsWith("/")) return textResponse(200, stringifyJson(openApiIndex(documents)));
  const found = documents.find((each) => groupVersionPath(each.group, each.version) === path);
  if (found === undefined) return { status: 404, contentType: undefined, body: new Uint8Array() };
  return groupDocument(context, request, found);
}

/**
 * The document of one group and version. A URL with the current hash is cacheable without limit; one with an old hash
 * is redirected.
 */
function groupDocument(
  context: ApiContext,
  request: ApiRequest,
  { group, version, hash }: HashedDocument,
): ApiResponse {
  const asked = request.query.get("hash");
  if (asked !== null && asked !== hash) {
    const location = `/openapi/v3/${groupVersionPath(group, version)}?hash=${hash}`;
    const headers = { location, etag: `"${hash}"`, vary: "Accept" };
    return { status: 301, contentType: jsonType, body: new Uint8Array(), headers };
  }
  const response = withTag(request, documentResponse(200, openApiDocument(context, group, version)), hash);
  if (asked === null) return response;
  const expires = new Date(context.cluster.clock.wallMs() + yearMs).toUTCString();
  return { ...response, headers: { ...response.headers, "cache-control": "public, immutable", expires } };
}

function withTag(request: ApiRequest, response: ApiResponse, hash: string): ApiResponse {
  const headers = { etag: `"${hash}"`, vary: "Accept" };
  if (request.header("if-none-match") !== headers.etag) return { ...response, headers };
  return { status: 304, contentType: undefined, body: new Uint8Array(), headers };
}

function allDocuments(context: ApiContext): readonly HashedDocument[] {
  const { resources } = context.cluster;
  const known = customHashes.get(resources);
  if (known?.revision === resources.revision) return known.documents;
  const documents = resources.groups.flatMap(({ group, versions }) =>
    versions.map(({ version }) => ({ group, version, hash: hashOf(context, group, version) })),
  );
  customHashes.set(resources, { revision: resources.revision, documents });
  return documents;
}

function hashOf(context: ApiContext, group: string, version: string): string {
  if (customIn(context, group, version).length > 0) return contentHash(openApiDocument(context, group, version));
  const path = groupVersionPath(group, version);
  let hash = builtinHashes.get(path);
  if (hash === undefined) {
    hash = contentHash(openApiDocument(context, group, version));
    builtinHashes.set(path, hash);
  }
  return hash;
}
