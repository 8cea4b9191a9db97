// SPDX-License-Identifier: Apache-2.0
import { toRevision } from "../../model/revision.ts";
import { put, remove, type Store } from "../../store/store.ts";
import { objects } from "../../store/tables.ts";
import { isEqualJson, type JsonObject } from "../json/json.ts";
import type { CachedObject } from "./cached-object.ts";
import type { ObjectCache } from "./object-cache.ts";
import { decodeBody, encodeBody } from "./stored-body.ts";

/** Where an object lies: the text of its resource id, its namespace (empty for cluster-wide resources) and name. */
export interface ObjectPlace {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

/** What an attempt wants: to store this object, to delete the one there, or to leave all as it is. */
export type WriteAttempt =
  | { readonly kind: "put"; readonly object: JsonObject }
  | { readonly kind: "delete" }
  | { readonly kind: "keep" };

/** What came of a write: the object, with its resourceVersion, as it now is (or was, where it is gone). It is shared: nobody changes it. */
export interface Written {
  readonly kind: "created" | "updated" | "unchanged" | "deleted";
  readonly object: JsonObject;
}

/** Attempts before a write gives up: each lost one means that somebody else's was written, so only a crowd on one object gets here. */
const maxAttempts = 64;

/** Too many others wrote the same object at the same time. */
export class WriteContended extends Error {}

/** Writes of one logical cluster. Every promise resolves after the cache has the change: who was answered reads what was written. */
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
   * Decides on the newest object and writes if it is still the newest, else decides again. `decide` may be called several times and may throw to refuse. Storing
   * what is there already changes nothing, not even the revision.
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

  /** The object as the cache has parsed it, unless somebody has written it again since. */
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
    // Whoever was quicker is on the store's line by now: the next attempt must see it.
    await this.#cache.reachNewest();
    return "conflict";
  }
}

/** Equal in all that is stored. */
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
