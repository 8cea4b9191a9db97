// SPDX-License-Identifier: Apache-2.0
import type { JsonObject } from "../json/json.ts";
import { stringifyJson } from "../json/stringify-json.ts";
import { ProtobufEncoder } from "../protobuf/encode-protobuf.ts";
import { type AnswerForm, protobufType } from "../request/accept.ts";
import type { Resource } from "../resources/resource.ts";
import { loadSchemaTable } from "../schema/load-schema-table.ts";
import type { ApiError } from "../status/api-error.ts";
import { toStatus } from "../status/status-object.ts";
import type { CachedObject } from "../storage/cached-object.ts";
import { apiVersionOf, renderObject, toServed } from "../storage/render-object.ts";
import { decodeBody } from "../storage/stored-body.ts";
import type { EventForm, EventType } from "../storage/watch-cached.ts";
import { type IncludeObject, toTable } from "../table/kube-table.ts";
import { toPartialMetadata } from "../table/partial-metadata.ts";

const encoder = new TextEncoder();
const lineEnd = encoder.encode("}\n");
const lineStarts = {
  ADDED: encoder.encode('{"type":"ADDED","object":'),
  MODIFIED: encoder.encode('{"type":"MODIFIED","object":'),
  DELETED: encoder.encode('{"type":"DELETED","object":'),
} as const satisfies Readonly<Record<EventType, Uint8Array>>;

export interface EventFormOptions {
  readonly resource: Resource;
  readonly form: AnswerForm;
  readonly includeObject: IncludeObject;
  /** The current wall clock, for the age column of tables. */
  readonly nowMs: () => number;
}

/** Encodes the events of one watch. Each watch needs its own form: a table has columns in its first event only. */
export function createEventForm(options: EventFormOptions): EventForm {
  const { resource, includeObject } = options;
  const { mediaType, representation } = options.form;
  const { group, version, resource: plural } = resource.facts;
  let hasColumns = false;
  const represent = (object: JsonObject): JsonObject => {
    if (representation.kind === "partial") return toPartialMetadata(object, representation.version);
    if (representation.kind === "object") return object;
    const withColumns = !hasColumns;
    hasColumns = true;
    return toTable(resource.printer, [object], {
      nowMs: options.nowMs(),
      includeObject,
      withColumns,
      version: representation.version,
    });
  };
  const id = `${group}/${version}/${plural} ${mediaType} ${nameOf(representation)}`;
  if (mediaType === protobufType) {
    const encode = (type: string, object: JsonObject): Uint8Array => protobufEncoder().encodeEvent(type, object);
    return {
      id,
      line: (type, cached, revision) => encode(type, represent(servedObject(resource, cached, revision))),
      bookmark: (revision, annotations) =>
        encode("BOOKMARK", represent(bookmarkObject(resource, revision, annotations))),
      error: (error) => encode("ERROR", toStatus(error)),
    };
  }
  return {
    // Rows of a table depend on the current time and on whether columns were sent, so their lines are not shared.
    id: representation.kind === "table" ? undefined : id,
    line(type, cached, revision) {
      if (representation.kind === "object") return joinLine(type, renderObject(resource, cached, revision));
      return joinLine(type, encoder.encode(stringifyJson(represent(servedObject(resource, cached, revision)))));
    },
    bookmark(revision, annotations) {
      const object = bookmarkObject(resource, revision, annotations);
      return encoder.encode(`${stringifyJson({ type: "BOOKMARK", object: represent(object) })}\n`);
    },
    error: (error: ApiError) => encoder.encode(`${stringifyJson({ type: "ERROR", object: toStatus(error) })}\n`),
  };
}

function nameOf(representation: AnswerForm["representation"]): string {
  return representation.kind === "object" ? "object" : `${representation.kind} ${representation.version}`;
}

function servedObject(resource: Resource, cached: CachedObject, revision: number): JsonObject {
  return toServed(resource, decodeBody(cached.body, revision));
}

function joinLine(type: EventType, object: Uint8Array): Uint8Array {
  const start = lineStarts[type];
  const line = new Uint8Array(start.length + object.length + lineEnd.length);
  line.set(start);
  line.set(object, start.length);
  line.set(lineEnd, start.length + object.length);
  return line;
}

function bookmarkObject({ facts }: Resource, revision: number, annotations: JsonObject | undefined): JsonObject {
  return {
    kind: facts.kind,
    apiVersion: apiVersionOf(facts),
    metadata: { resourceVersion: String(revision), ...(annotations === undefined ? {} : { annotations }) },
  };
}

let made: ProtobufEncoder | undefined;

/**
 * The encoder of protobuf responses, one per process. Created on first use: it holds a buffer, and many servers never
 * need it.
 */
export function protobufEncoder(): ProtobufEncoder {
  made ??= new ProtobufEncoder(loadSchemaTable());
  return made;
}
