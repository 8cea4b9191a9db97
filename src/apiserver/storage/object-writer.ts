// SPDX-License-Identifier: Apache-2.0
import { toRevision } from "../../model/revision.ts";
import { put, remove, type Store } from "../../store/store.ts";
import { objects } from "../../store/tables.ts";
import { isEqualJson, type JsonObject } from "../json/json.ts";
import type { CachedObject } from "./cached-object.ts";
import type { ObjectCache } from "./object-cache.ts";
import { decodeBody, encodeBody } from "./stored-body.ts";

/** The key of an object: the text of its resource id, its namespace (empty for cluster-wide resources) and its name. */
export interface ObjectPlace {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

/** The outcome of a decision: store this object, delete the current one, or change nothing. */
export type WriteAttempt =
  | { readonly kind: "put"; readonly object: JsonObject }
  | { readonly kind: "delete" }
  | { readonly kind: "keep" };

/**
 * The result of a write. `object` has its resourceVersion; for a deletion it is the last state. Shared: do not mutate.
 */
export interface Written {
  readonly kind: "created" | "updated" | "unchanged" | "deleted";
  readonly object: JsonObject;
}

/**
 * Attempts before a write fails. Each failed attempt means that another write succeeded, so only many concurrent
 * writers of one object reach the limit.
 */
const maxAttempts = 64;

/** A write failed because of too many concurrent writes of the same object. */
export class WriteContended extends Error {}

/**
 * Writes objects of one logical cluster. A write resolves after the cache has the change, so that clients read their
 * own writes.
 */
export class ObjectWriter {
  readonly #store: Store;
  readonly #cluster: string;
  readonly #cache: ObjectCache;

  constructor(store: Store, cluster: string, cache: ObjectCache) {
    this.#store = store;
    this.#cluster = cluster;
    this.#cache = cache;
  }

  /**
   * Calls `decide` with the newest object and commits its decision if that object is still the newest; otherwise
   * repeats. `decide` may be called several times and may throw to refuse. Storing an equal object changes nothing, not
   * even the revision.
   */
  async write(
    place: ObjectPlace,
    decide: (current: JsonObject | undefined) => WriteAttempt | Promise<WriteAttempt>,
  ): Promise<Written | undefined> {
    const resource = this.#cache.resource(place.resource);
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      const cached = resource.get(place.namespace, place.name);
      const current = cached === undefined ? undefined : this.#cache.parsed(cached);
      const wanted = await decide(current);
      const result = await this.#commit(place, wanted, cached, current);
      if (result !== "conflict") return result;
    }
    throw new WriteContended(`${place.resource} ${place.namespace}/${place.name} is written by too many at once`);
  }

  async #commit(
    place: ObjectPlace,
    wanted: WriteAttempt,
    cached: CachedObject | undefined,
    current: JsonObject | undefined,
  ): Promise<Written | undefined | "conflict"> {
    if (wanted.kind === "keep" || (wanted.kind === "delete" && current === undefined))
      return current === undefined ? undefined : { kind: "unchanged", object: current };
    const key = [this.#cluster, place.resource, place.namespace, place.name];
    const expect = cached === undefined ? "absent" : toRevision(cached.revision);
    if (wanted.kind === "delete") {
      const revision = await this.#send(remove(objects, key, expect));
      if (revision === "conflict" || cached === undefined) return "conflict";
      return { kind: "deleted", object: decodeBody(cached.body, revision) };
    }
    if (current !== undefined && isEqualStored(wanted.object, current)) return { kind: "unchanged", object: current };
    const body = encodeBody(wanted.object);
    const revision = await this.#send(put(objects, key, { body }, expect));
    if (revision === "conflict") return "conflict";
    const object = this.#parsedAt(place, revision) ?? decodeBody(body, revision);
    return { kind: current === undefined ? "created" : "updated", object };
  }

  /** The parsed object from the cache; undefined if it was written again since. */
  #parsedAt({ resource, namespace, name }: ObjectPlace, revision: number): JsonObject | undefined {
    const cached = this.#cache.resource(resource).get(namespace, name);
    return cached?.revision === revision ? this.#cache.parsed(cached) : undefined;
  }

  async #send(write: ReturnType<typeof put>): Promise<number | "conflict"> {
    const outcome = await this.#store.commit([write]);
    if (outcome.kind === "committed") {
      await this.#cache.reach(Number(outcome.revision));
      return Number(outcome.revision);
    }
    // The next attempt must see the concurrent write that caused the conflict.
    await this.#cache.reachNewest();
    return "conflict";
  }
}

/** Whether the stored forms are equal. */
function isEqualStored(wanted: JsonObject, current: JsonObject): boolean {
  const { apiVersion: _apiVersion, kind: _kind, metadata, ...rest } = wanted;
  const { metadata: currentMetadata, ...currentRest } = current;
  return isEqualJson(rest, currentRest) && isEqualJson(withoutVersion(metadata), withoutVersion(currentMetadata));
}

function withoutVersion(metadata: JsonObject[string] | undefined): JsonObject {
  if (typeof metadata !== "object" || metadata === null || Array.isArray(metadata)) return {};
  const { resourceVersion: _resourceVersion, ...rest } = metadata as JsonObject;
  return rest;
}
