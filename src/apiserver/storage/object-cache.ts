// SPDX-License-Identifier: Apache-2.0

import { FlotillaError } from "../../base/error.ts";
import type { Clock } from "../../base/time/clock.ts";
import { toRevision } from "../../model/revision.ts";
import type { Change, Key, RowPage, Store } from "../../store/store.ts";
import { objects } from "../../store/tables.ts";
import type { JsonObject } from "../json/json.ts";
import type { ObjectChange, ObjectFeed } from "../resources/object-reader.ts";
import { type CachedObject, ParsedObjects, toCached } from "./cached-object.ts";
import { ResourceCache } from "./resource-cache.ts";
import { RevisionWaiters } from "./revision-waiters.ts";
import { decodeBody } from "./stored-body.ts";

export interface ObjectCacheOptions {
  readonly store: Store;
  /** The logical cluster of the objects: the first part of their keys. */
  readonly cluster: string;
  /** Bytes of recent changes kept for each resource. */
  readonly windowBytes?: number;
  /** Parsed objects kept. */
  readonly parsedLimit?: number;
  /** Paces the notifications of many watches. Without a clock, watches are notified of every change at once. */
  readonly clock?: Clock;
}

type ObjectPage = RowPage<typeof objects>;

/** Number of the store's revisions replayed at the start, so that watches can resume across a restart. */
const rereadCount = 20_000;

/**
 * All objects of one logical cluster in memory, following the store. Reads are synchronous; `reach` waits for a
 * revision. A write through this process is visible here before its request is answered.
 */
export class ObjectCache implements ObjectFeed {
  readonly #store: Store;
  readonly #cluster: string;
  readonly #windowBytes: number;
  readonly #clock: Clock | undefined;
  readonly #parsed: ParsedObjects;
  readonly #resources = new Map<string, ResourceCache>();
  readonly #listeners = new Set<(change: ObjectChange) => void>();
  readonly #waiters = new RevisionWaiters();
  /** The revision at which the events start. */
  #startRevision = 0;
  #revision = 0;
  /** Why the store is no longer followed. */
  #ended: FlotillaError | undefined;

  private constructor(options: ObjectCacheOptions) {
    this.#store = options.store;
    this.#cluster = options.cluster;
    this.#clock = options.clock;
    // A few thousand events of usual size for a busy resource. The limit is not preallocated.
    this.#windowBytes = options.windowBytes ?? 16 * 1024 * 1024;
    this.#parsed = new ParsedObjects(options.parsedLimit ?? 4096);
  }

  /**
   * Fills a cache and follows the store until the signal aborts. It loads a past revision and replays the changes
   * since, so that watches survive a restart. `failed` rejects when the store can no longer be followed.
   */
  static async open(
    options: ObjectCacheOptions,
    signal: AbortSignal,
  ): Promise<{ cache: ObjectCache; failed: Promise<void> }> {
    const cache = new ObjectCache(options);
    const target = Number(options.store.revision);
    await cache.#load();
    const followed = cache.#follow(signal);
    await Promise.race([cache.reach(target, signal), followed]);
    return { cache, failed: followed };
  }

  /**
   * All changes up to this revision are in the cache. The store's revision may be higher because of other logical
   * clusters: see `reachNewest`.
   */
  get revision(): number {
    return this.#revision;
  }

  get(resource: string, namespace: string, name: string): JsonObject | undefined {
    const cached = this.#resources.get(resource)?.get(namespace, name);
    return cached === undefined ? undefined : this.#parsed.get(cached);
  }

  list(resource: string, namespace?: string): readonly JsonObject[] {
    const cache = this.#resources.get(resource);
    return cache === undefined ? [] : Array.from(cache.objects(namespace), (each) => this.#parsed.get(each));
  }

  *mentioning(resource: string, keys: readonly string[]): Generator<JsonObject> {
    const texts = keys.map((key) => `${JSON.stringify(key)}:`);
    for (const cached of this.#resources.get(resource)?.objects(undefined) ?? []) {
      const { buffer, byteOffset, byteLength } = cached.body;
      const body = Buffer.from(buffer, byteOffset, byteLength);
      if (texts.some((text) => body.includes(text))) yield this.#parsed.get(cached);
    }
  }

  subscribe(listener: (change: ObjectChange) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** The objects of one resource. Created on first use, so that a watch can wait for the first object. */
  resource(resource: string): ResourceCache {
    let cache = this.#resources.get(resource);
    if (cache === undefined) {
      cache = new ResourceCache(this.#startRevision, this.#windowBytes, this.#clock);
      this.#resources.set(resource, cache);
    }
    return cache;
  }

  /** Names of the resources that have been used. */
  resourceNames(): readonly string[] {
    return [...this.#resources.keys()];
  }

  parsed(cached: CachedObject): JsonObject {
    return this.#parsed.get(cached);
  }

  /** Converts an object of a past revision to the cache's form. */
  foreign(namespace: string, name: string, revision: number, body: Uint8Array): CachedObject {
    return toCached(namespace, name, revision, body);
  }

  /**
   * Resolves when the cache has the revision. Rejects with the signal's reason, or with UNAVAILABLE once the store is
   * no longer followed.
   */
  reach(revision: number, signal?: AbortSignal): Promise<void> {
    if (revision <= this.#revision) return Promise.resolve();
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    return this.#waiters.wait(revision, signal);
  }

  /** Resolves when the cache has everything committed so far; rejects as `reach` does. */
  reachNewest(): Promise<void> {
    return this.reach(Number(this.#store.revision));
  }

  async #load(): Promise<void> {
    const newest = Number(this.#store.revision);
    const start = Math.max(Number(this.#store.oldestRevision), newest - rereadCount, 0);
    this.#startRevision = start;
    for (let next: Promise<ObjectPage> | undefined = this.#readPage(start); next !== undefined; ) {
      const { rows, more }: ObjectPage = await next;
      // The store reads the next page while this one is loaded.
      next = more ? this.#readPage(start, rows.at(-1)?.key) : undefined;
      for (const { key, revision, value } of rows) {
        const [, resource = "", namespace = "", name = ""] = key;
        this.resource(resource).load(toCached(namespace, name, Number(revision), value.body));
      }
    }
    this.#revision = start;
  }

  #readPage(revision: number, after?: Key): Promise<ObjectPage> {
    const place = after === undefined ? {} : { after };
    return this.#store.list(objects, { prefix: [this.#cluster], limit: 5000, asOf: toRevision(revision), ...place });
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const from = this.#store.cursor(toRevision(this.#revision));
    try {
      for await (const batch of this.#store.watch(objects, {
        prefix: [this.#cluster],
        from,
        progress: this.#waiters,
        signal,
      })) {
        this.#apply(batch.changes, Number(batch.revision));
      }
      this.#end(signal.reason);
    } catch (reason) {
      this.#end(reason);
      throw reason;
    }
  }

  #end(cause: unknown): void {
    const ended = new FlotillaError("UNAVAILABLE", "the objects in memory no longer follow the store", { cause });
    this.#ended = ended;
    this.#waiters.end(ended);
  }

  #apply(changes: readonly Change<typeof objects>[], revision: number): void {
    const touched = new Set<ResourceCache>();
    for (const change of changes) {
      const [, resource = "", namespace = "", name = ""] = change.key;
      const cache = this.resource(resource);
      const changeRevision = Number(change.revision);
      const after =
        change.value === null ? undefined : this.#parsed.add(namespace, name, changeRevision, change.value.body);
      const { before } = cache.apply(changeRevision, { namespace, name }, after);
      touched.add(cache);
      if (this.#listeners.size > 0) this.#notify({ resource, namespace, name }, before, after, changeRevision);
    }
    this.#revision = Math.max(this.#revision, revision);
    for (const cache of touched) cache.wake();
    this.#waiters.advance(this.#revision);
  }

  #notify(
    key: { readonly resource: string; readonly namespace: string; readonly name: string },
    before: CachedObject | undefined,
    after: CachedObject | undefined,
    revision: number,
  ): void {
    const type = after === undefined ? "DELETED" : before === undefined ? "ADDED" : "MODIFIED";
    const last = after ?? before;
    if (last === undefined) return;
    const object = after === undefined ? decodeBody(last.body, revision) : this.#parsed.get(last);
    for (const listener of this.#listeners) listener({ type, ...key, object });
  }
}
