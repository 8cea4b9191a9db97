// SPDX-License-Identifier: Apache-2.0
// Calls a hub with nothing but its OpenAPI document.
import { checkJson, type JsonObject, resolverOf, toObject } from "./check-json.ts";
import { sampleJson } from "./sample-json.ts";

/** One operation of the document. */
export interface DocumentOperation {
  readonly path: string;
  readonly verb: "post" | "get";
  readonly operation: JsonObject;
}

export interface DocumentAnswer {
  readonly status: number;
  readonly body: unknown;
  /** The hub's own code; "" for a success and for a request that was refused before it was read. */
  readonly code: string;
  /** Where the answer does not fit the document. */
  readonly faults: readonly string[];
}

/** A hub as its document describes it. */
export class DocumentedHub {
  readonly document: JsonObject;
  readonly #url: string;

  constructor(url: string, document: JsonObject) {
    this.#url = url;
    this.document = document;
  }

  get operations(): readonly DocumentOperation[] {
    return Object.entries(toObject(this.document["paths"], "paths")).flatMap(([path, item]) =>
      Object.entries(toObject(item, path)).map(([verb, operation]) => {
        if (verb !== "post" && verb !== "get") throw new Error(`${path} has ${verb}`);
        return { path, verb, operation: toObject(operation, path) };
      }),
    );
  }

  /** A request with every field of the operation's schema; `text` is in the fields that may be any text. */
  sampleRequest(of: DocumentOperation, text: string): unknown {
    return sampleJson(requestSchemaOf(of), resolverOf(this.document), text);
  }

  /** Where a request does not fit the document. */
  checkRequest(of: DocumentOperation, request: unknown): readonly string[] {
    return checkJson(request, requestSchemaOf(of), resolverOf(this.document));
  }

  async call(of: DocumentOperation, message: unknown, token: string | undefined): Promise<DocumentAnswer> {
    const headers = {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(of.verb === "post" ? { "content-type": "application/json" } : {}),
    };
    const query = new URLSearchParams({ connect: "v1", encoding: "json", message: JSON.stringify(message) });
    const answer =
      of.verb === "post"
        ? await fetch(`${this.#url}${of.path}`, { method: "POST", headers, body: JSON.stringify(message) })
        : await fetch(`${this.#url}${of.path}?${query.toString()}`, { headers });
    const body: unknown = await answer.json();
    return { status: answer.status, body, code: codeOf(body), faults: this.#check(of, answer.status, body) };
  }

  #check({ path, operation }: DocumentOperation, status: number, body: unknown): readonly string[] {
    const responses = toObject(operation["responses"], path);
    const resolve = resolverOf(this.document);
    const response = toObject(responses[String(status)] ?? responses["default"], path);
    const { $ref } = response;
    return checkJson(body, jsonSchemaOf(typeof $ref === "string" ? resolve($ref) : response, path), resolve);
  }
}

function requestSchemaOf({ path, verb, operation }: DocumentOperation): JsonObject {
  const { requestBody, parameters } = operation;
  const message = Array.isArray(parameters) ? (parameters.at(-1) as unknown) : undefined;
  return jsonSchemaOf(verb === "post" ? requestBody : message, path);
}

function jsonSchemaOf(holder: unknown, what: string): JsonObject {
  const content = toObject(toObject(holder, what)["content"], what);
  return toObject(toObject(content["application/json"], what)["schema"], what);
}

function codeOf(body: unknown): string {
  const { details } = toObject(body, "the answer");
  if (!Array.isArray(details)) return "";
  return String(toObject(toObject(details[0], "detail")["debug"], "debug")["code"]);
}
