// SPDX-License-Identifier: Apache-2.0
import { type JsonObject } from "../json/json.ts";
import { objectAt } from "../json/json-fields.ts";
import { decodeBody, readLabels } from "./stored-body.ts";

const noLabels: ReadonlyMap<string, string> = new Map();

/** One object at one revision. It holds the bytes; `ParsedObjects` keeps a bounded number of parsed forms. */
export interface CachedObject {
  readonly namespace: string;
  readonly name: string;
  readonly revision: number;
  readonly body: Uint8Array;
  readonly labels: ReadonlyMap<string, string>;
}

/**
 * A bounded cache of the most recently read parsed objects. Parsing takes about ten microseconds; a parsed object takes
 * several times the memory of its bytes. The cache has two halves: a read moves an object to the younger half, and a
 * full younger half replaces the older one. Strict LRU order would cost a delete for each read.
 */
export class ParsedObjects {
  readonly #halfLimit: number;
  #younger = new Map<CachedObject, JsonObject>();
  #older: ReadonlyMap<CachedObject, JsonObject> = new Map();

  constructor(limit: number) {
    this.#halfLimit = limit / 2;
  }

  /** The object with its resourceVersion. Shared: do not mutate. */
  get(cached: CachedObject): JsonObject {
    return (
      this.#younger.get(cached) ??
      this.#keep(cached, this.#older.get(cached) ?? decodeBody(cached.body, cached.revision))
    );
  }

  /** Converts to the cache's form and keeps the parsed object. For objects that are read soon. */
  add(namespace: string, name: string, revision: number, body: Uint8Array): CachedObject {
    const object = decodeBody(body, revision);
    const cached: CachedObject = {
      namespace,
      name,
      revision,
      body,
      labels: toLabels(objectAt(object, "metadata", "labels")),
    };
    this.#keep(cached, object);
    return cached;
  }

  #keep(cached: CachedObject, object: JsonObject): JsonObject {
    if (this.#younger.size >= this.#halfLimit) {
      this.#older = this.#younger;
      this.#younger = new Map();
    }
    this.#younger.set(cached, object);
    return object;
  }
}

/** Converts to the cache's form without keeping a parsed object. For bulk loads, where most objects are never read. */
export function toCached(namespace: string, name: string, revision: number, body: Uint8Array): CachedObject {
  return { namespace, name, revision, body, labels: toLabels(readLabels(body)) };
}

function toLabels(labels: JsonObject | undefined): ReadonlyMap<string, string> {
  if (labels === undefined) return noLabels;
  return new Map(Object.entries(labels).filter((entry): entry is [string, string] => typeof entry[1] === "string"));
}
