// SPDX-License-Identifier: Apache-2.0
import { type JsonObject, objectAt } from "../json/json.ts";
import { decodeBody, readLabels } from "./stored-body.ts";

const noLabels: ReadonlyMap<string, string> = new Map();

/** One object at one revision. Its bytes are kept, its parsed form only while somebody is interested (see ParsedObjects). */
export interface CachedObject {
  readonly namespace: string;
  readonly name: string;
  readonly revision: number;
  readonly body: Uint8Array;
  readonly labels: ReadonlyMap<string, string>;
}

/**
 * The parsed forms of the objects that were looked at last. Parsing costs some ten microseconds, a parsed object several times the memory of its
 * bytes: so a bounded number is kept, and the rest is parsed again when somebody asks. Two halves are kept: what is looked at moves to the younger one,
 * and when that is full, the older one leaves as a whole. A single line in order of use would cost a delete for each look.
 */
export class ParsedObjects {
  readonly #halfLimit: number;
  #younger = new Map<CachedObject, JsonObject>();
  #older: ReadonlyMap<CachedObject, JsonObject> = new Map();

  constructor(limit: number) {
    this.#halfLimit = limit / 2;
  }

  /** The object with its resourceVersion; shared, so nobody changes it. */
  get(cached: CachedObject): JsonObject {
    return (
      this.#younger.get(cached) ??
      this.#keep(cached, this.#older.get(cached) ?? decodeBody(cached.body, cached.revision))
    );
  }

  /** The object in the cache's form, parsed: somebody is about to look at it. */
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

/** The object in the cache's form, not parsed: for the many that nobody may ever look at. */
export function toCached(namespace: string, name: string, revision: number, body: Uint8Array): CachedObject {
  return { namespace, name, revision, body, labels: toLabels(readLabels(body)) };
}

function toLabels(labels: JsonObject | undefined): ReadonlyMap<string, string> {
  if (labels === undefined) return noLabels;
  return new Map(Object.entries(labels).filter((entry): entry is [string, string] => typeof entry[1] === "string"));
}
