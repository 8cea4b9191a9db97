// SPDX-License-Identifier: Apache-2.0
import { stringify as stringifyYaml } from "yaml";
import { assert } from "../../base/assert.ts";
import type { JsonObject } from "../json/json.ts";
import { stringifyJson } from "../json/stringify-json.ts";
import { type AnswerForm, protobufType } from "../request/accept.ts";
import { type ApiResponse, jsonType } from "../request/api-request.ts";
import { goTypeName } from "../request/go-kind-names.ts";
import type { Resource } from "../resources/resource.ts";
import { ApiError } from "../status/api-error.ts";
import { invalidValue, toSentence } from "../status/field-error.ts";
import type { CachedObject } from "../storage/cached-object.ts";
import type { ListedPage } from "../storage/list-cached.ts";
import { apiVersionOf, renderItem, toServed } from "../storage/render-object.ts";
import { type IncludeObject, toTable } from "../table/kube-table.ts";
import { toPartialMetadata, toPartialMetadataList } from "../table/partial-metadata.ts";
import { protobufEncoder } from "./event-form.ts";

const encoder = new TextEncoder();
const comma = encoder.encode(",");
const listEnd = encoder.encode("]}");

/** Parses `includeObject`: the part of each object in a table's rows. Throws kube-apiserver's 400. */
export function parseIncludeObject(query: URLSearchParams): IncludeObject {
  const text = query.get("includeObject") ?? "";
  if (text === "") return "Metadata";
  if (text === "None" || text === "Metadata" || text === "Object") return text;
  const error = invalidValue("includeObject", text, "must be 'Metadata', 'Object', 'None', or empty");
  throw new ApiError(400, "BadRequest", `Unable to convert to Table as requested: ${toSentence(error)}`);
}

/**
 * Encodes a document in the media type. Protobuf needs a kind of the schema table, or a response kind such as Status.
 */
export function documentResponse(
  status: number,
  body: JsonObject,
  mediaType: AnswerForm["mediaType"] = jsonType,
): ApiResponse {
  if (mediaType === protobufType) return { status, contentType: mediaType, body: protobufEncoder().encodeObject(body) };
  const text = mediaType === "application/yaml" ? stringifyYaml(body) : `${stringifyJson(body)}\n`;
  return { status, contentType: mediaType, body: encoder.encode(text) };
}

export interface ObjectAnswer {
  readonly resource: Resource;
  /** At the served version, apiVersion and kind included. */
  readonly object: JsonObject;
  readonly form: AnswerForm;
  readonly includeObject: IncludeObject;
  readonly nowMs: number;
}

/** Responds with one object in the requested representation. */
export function objectResponse(status: number, answer: ObjectAnswer): ApiResponse {
  return documentResponse(status, representObject(answer), answer.form.mediaType);
}

export function representObject({ resource, object, form, includeObject, nowMs }: ObjectAnswer): JsonObject {
  const { representation } = form;
  switch (representation.kind) {
    case "object":
      return object;
    case "partial":
      if (representation.isList) throw misplaced(resource, "object");
      return toPartialMetadata(object, representation.version);
    case "table":
      return toTable(resource.printer, [object], { nowMs, includeObject, version: representation.version });
  }
}

export interface ListAnswer {
  readonly resource: Resource;
  readonly page: ListedPage;
  readonly form: AnswerForm;
  readonly includeObject: IncludeObject;
  readonly nowMs: number;
  readonly parse: (cached: CachedObject) => JsonObject;
}

/**
 * Responds with a list in the requested representation. Plain JSON is joined from stored bytes without parsing.
 * Protobuf parses one object at a time.
 */
export function listResponse(answer: ListAnswer): ApiResponse {
  const { resource, page, form, parse } = answer;
  const { facts, listKind } = resource;
  const metadata = listMeta(page);
  if (form.representation.kind === "object" && form.mediaType === jsonType) {
    const head = `{"kind":${JSON.stringify(listKind)},"apiVersion":${JSON.stringify(apiVersionOf(facts))},"metadata":${stringifyJson(metadata)},"items":[`;
    const parts: Uint8Array[] = [encoder.encode(head)];
    for (const [index, item] of page.items.entries()) {
      if (index > 0) parts.push(comma);
      parts.push(renderItem(resource, item));
    }
    parts.push(listEnd);
    return { status: 200, contentType: jsonType, body: Buffer.concat(parts) };
  }
  if (form.representation.kind === "object" && form.mediaType === protobufType) {
    const { items } = page;
    const body = protobufEncoder().encodeList({
      kind: listKind,
      apiVersion: apiVersionOf(facts),
      metadata,
      itemCount: items.length,
      itemAt: (index) => {
        const item = items[index];
        assert(item !== undefined, "the index is below itemCount");
        return toServed(resource, parse(item));
      },
    });
    return { status: 200, contentType: protobufType, body };
  }
  const objects = page.items.map((item) => toServed(resource, parse(item)));
  return documentResponse(200, representList(answer, objects, metadata), form.mediaType);
}

function representList(
  { resource, form, includeObject, nowMs }: ListAnswer,
  objects: readonly JsonObject[],
  metadata: JsonObject,
): JsonObject {
  const { representation } = form;
  switch (representation.kind) {
    case "object": {
      const items = resource.isCustom ? objects : objects.map(({ kind: _kind, apiVersion: _version, ...item }) => item);
      return { kind: resource.listKind, apiVersion: apiVersionOf(resource.facts), metadata, items };
    }
    case "partial":
      if (!representation.isList) throw misplaced(resource, "list");
      return toPartialMetadataList(objects, metadata, representation.version);
    case "table":
      return toTable(resource.printer, objects, {
        nowMs,
        includeObject,
        version: representation.version,
        listMeta: metadata,
      });
  }
}

/** The refusal of a list representation for one object, or the reverse. */
function misplaced(resource: Resource, shape: "object" | "list"): ApiError {
  const asked = shape === "list" ? "PartialObjectMetadata" : "PartialObjectMetadataList";
  const verb = shape === "list" ? "is" : "is not";
  const message = `you requested ${asked}, but the requested object ${verb} a list (${goTypeName(resource, shape)})`;
  return new ApiError(406, "NotAcceptable", message);
}

function listMeta({ revision, continueToken, remainingCount }: ListedPage): JsonObject {
  return {
    resourceVersion: String(revision),
    ...(continueToken === undefined ? {} : { continue: continueToken }),
    ...(remainingCount === undefined ? {} : { remainingItemCount: remainingCount }),
  };
}
