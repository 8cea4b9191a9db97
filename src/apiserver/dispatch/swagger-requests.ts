// SPDX-License-Identifier: Apache-2.0
import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import type { JsonObject } from "../json/json.ts";
import { stringifyJson } from "../json/stringify-json.ts";
import { encodeGnostic } from "../openapi/gnostic-document.ts";
import { swaggerDocument } from "../openapi/swagger-document.ts";
import { parseAccept } from "../request/accept.ts";
import { type ApiRequest, type ApiResponse, jsonType } from "../request/api-request.ts";
import type { ResourceRegistry } from "../resources/resource-registry.ts";
import type { ApiContext } from "./api-context.ts";
import { openApiDocuments } from "./openapi-documents.ts";

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/** The media type that Go clients send, and its form within the media type grammar, which responses have. */
const gnosticNames: ReadonlySet<string> = new Set([
  "application/com.github.proto-openapi.spec.v2@v1.0+protobuf",
  "application/com.github.proto-openapi.spec.v2.v1.0+protobuf",
]);
const gnosticType = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

/**
 * The document of one state of a cluster. Only compressed bytes are kept: 30 to 40 KB of each form instead of 650 and
 * 470.
 */
interface PublishedDocument {
  readonly etag: string;
  readonly madeAtMs: number;
  readonly json: Uint8Array;
  /** Encoded at the first request for it. */
  gnostic?: Promise<Uint8Array>;
}

/**
 * Without custom resources the document is the same in every cluster of the process. A failed document is not cached.
 */
let ofBuiltins: Promise<PublishedDocument> | undefined;
const byRegistry = new WeakMap<
  ResourceRegistry,
  { readonly revision: number; readonly made: Promise<PublishedDocument> }
>();

/**
 * Answers `/openapi/v2`: one document of all served resources, as JSON or as gnostic's protobuf. The document is
 * created at the first request after custom resources have changed, which takes about 100 ms, and is then cached.
 */
export async function swaggerResponse(context: ApiContext, request: ApiRequest): Promise<ApiResponse> {
  const vary = "Accept-Encoding, Accept";
  const form = chooseSwaggerForm(request.header("accept"));
  if (form === undefined) return { status: 406, contentType: undefined, body: new Uint8Array(), headers: { vary } };
  const published = await publishedDocument(context);
  const headers = { etag: published.etag, "last-modified": new Date(published.madeAtMs).toUTCString(), vary };
  if (request.header("if-none-match") === published.etag)
    return { status: 304, contentType: undefined, body: new Uint8Array(), headers };
  const bytes = form === "json" ? published.json : await gnosticOf(published);
  const contentType = form === "json" ? jsonType : gnosticType;
  if (!acceptsGzip(request)) return { status: 200, contentType, body: await decompress(bytes), headers };
  return { status: 200, contentType, body: bytes, headers: { ...headers, "content-encoding": "gzip" } };
}

function chooseSwaggerForm(accept: string | undefined): "json" | "gnostic" | undefined {
  for (const { type } of parseAccept(accept)) {
    if (type === jsonType || type === "*/*" || type === "application/*") return "json";
    if (gnosticNames.has(type)) return "gnostic";
  }
  return undefined;
}

function acceptsGzip(request: ApiRequest): boolean {
  const codings = (request.header("accept-encoding") ?? "").split(",");
  return codings.some((coding) => /^\s*(?:gzip|\*)\s*(?:;\s*q=(?!0(?:\.0*)?\s*$).*)?$/i.test(coding));
}

function publishedDocument(context: ApiContext): Promise<PublishedDocument> {
  const { resources } = context.cluster;
  if (resources.all.every(({ isCustom }) => !isCustom)) {
    if (ofBuiltins === undefined) {
      ofBuiltins = publish(context);
      ofBuiltins.catch(() => {
        ofBuiltins = undefined;
      });
    }
    return ofBuiltins;
  }
  const known = byRegistry.get(resources);
  if (known?.revision === resources.revision) return known.made;
  const made = publish(context);
  byRegistry.set(resources, { revision: resources.revision, made });
  made.catch(() => byRegistry.delete(resources));
  return made;
}

async function publish(context: ApiContext): Promise<PublishedDocument> {
  const madeAtMs = context.cluster.clock.wallMs();
  const text = stringifyJson(swaggerDocument(`v${context.table.kubernetesVersion}`, openApiDocuments(context)));
  const etag = `"${createHash("sha512").update(text).digest("hex").toUpperCase()}"`;
  return { etag, madeAtMs, json: await compress(text) };
}

function gnosticOf(published: PublishedDocument): Promise<Uint8Array> {
  published.gnostic ??= (async () => {
    const document = JSON.parse((await decompress(published.json)).toString()) as JsonObject;
    return compress(encodeGnostic(document));
  })();
  return published.gnostic;
}
