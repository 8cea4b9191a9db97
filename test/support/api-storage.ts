// SPDX-License-Identifier: Apache-2.0
// The storage of one logical cluster as tests drive it: over a memory store in this thread, on a clock that stands
// still.

import { createBuiltinResources } from "../../src/apiserver/builtin-resources.ts";
import { createEventForm } from "../../src/apiserver/dispatch/event-form.ts";
import type { DraftObject, JsonObject } from "../../src/apiserver/json/json.ts";
import { parseListOptions } from "../../src/apiserver/request/list-options.ts";
import type { Resource } from "../../src/apiserver/resources/resource.ts";
import { loadSchemaTable } from "../../src/apiserver/schema/load-schema-table.ts";
import { type ListedPage, listPage } from "../../src/apiserver/storage/list-cached.ts";
import { ObjectCache, type ObjectCacheOptions } from "../../src/apiserver/storage/object-cache.ts";
import { Selection } from "../../src/apiserver/storage/object-selection.ts";
import { ObjectWriter, type Written } from "../../src/apiserver/storage/object-writer.ts";
import { type WatchSource, watchObjects } from "../../src/apiserver/storage/watch-cached.ts";
import { FlotillaError } from "../../src/base/error.ts";
import { createInThreadPort } from "../../src/base/in-thread-port.ts";
import { createSeededRandom } from "../../src/base/random.ts";
import { ManualClock, settle } from "../../src/base/testing/manual-clock.ts";
import { createStore } from "../../src/store/create-store.ts";
import type { Store } from "../../src/store/store.ts";
import { MemoryEngine } from "../../src/store/testing/memory-engine.ts";

/** The first part of the keys of all objects here. */
export const testCluster = "test";

const configMaps = createBuiltinResources(loadSchemaTable()).find(({ storageId }) => storageId === "configmaps");
if (configMaps === undefined) throw new Error("there are no config maps");
/** The kind that most objects here are of. */
export const configMapResource: Resource = configMaps;

/** One event of a watch, parsed. */
export interface SeenEvent {
  readonly type: string;
  readonly object: JsonObject;
}

/** What an object of a test says: its place, and what may change. */
export interface TestObject {
  readonly name: string;
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly value?: string;
}

type CacheSizes = Pick<ObjectCacheOptions, "windowBytes" | "parsedLimit">;

/** A cache and writer over a store that may be shared with others, one after the other. */
export class TestStorage implements AsyncDisposable {
  readonly store: Store;
  readonly clock: ManualClock;
  readonly cache: ObjectCache;
  readonly writer: ObjectWriter;
  /** Ends the following of the store. */
  readonly closing: AbortController;
  readonly failed: Promise<void>;
  readonly cluster: string;
  readonly #ownsStore: boolean;

  private constructor(
    parts: Pick<TestStorage, "store" | "clock" | "cache" | "closing" | "failed" | "cluster"> & {
      readonly ownsStore: boolean;
    },
  ) {
    this.cluster = parts.cluster;
    this.store = parts.store;
    this.clock = parts.clock;
    this.cache = parts.cache;
    this.closing = parts.closing;
    this.failed = parts.failed;
    this.#ownsStore = parts.ownsStore;
    this.writer = new ObjectWriter(parts.store, parts.cluster, parts.cache);
  }

  /**
   * Opens over a new store, or over that of another storage: the same logical cluster started again, or one beside it.
   */
  static async open(
    options: CacheSizes & { readonly over?: TestStorage; readonly store?: Store; readonly cluster?: string } = {},
  ): Promise<TestStorage> {
    const { over, cluster = testCluster, ...sizes } = options;
    const clock = over?.clock ?? new ManualClock();
    const store =
      options.store ??
      over?.store ??
      (await createStore(createInThreadPort(new MemoryEngine({ clock, storeId: "st_test" })), { clock }));
    const closing = new AbortController();
    const { cache, failed } = await ObjectCache.open({ ...sizes, store, cluster }, closing.signal);
    return new TestStorage({ store, clock, cache, closing, failed, cluster, ownsStore: over === undefined });
  }

  get source(): WatchSource {
    const { store, cluster, cache, clock } = this;
    return { store, cluster, cache, clock, random: createSeededRandom("test-storage") };
  }

  get revision(): number {
    return Number(this.store.revision);
  }

  /** Creates or replaces a config map. Gives its revision. */
  async put(object: TestObject): Promise<number> {
    const { name, namespace = "default" } = object;
    const written = await this.writer.write({ resource: "configmaps", namespace, name }, () => ({
      kind: "put",
      object: toConfigMap(object),
    }));
    return versionOf(written);
  }

  /** Deletes a config map. Gives the revision of that; 0 where there was none. */
  async remove(name: string, namespace = "default"): Promise<number> {
    const place = { resource: "configmaps", namespace, name };
    return versionOf(await this.writer.write(place, () => ({ kind: "delete" })));
  }

  /** One page of config maps, asked for as a query would. */
  page(query = "", namespace?: string): Promise<ListedPage> {
    const options = parseListOptions(new URLSearchParams(query));
    const selection = new Selection(configMapResource, { namespace }, options);
    return listPage(this.source, configMapResource, selection, options);
  }

  watch(query = "", namespace?: string): TestWatch {
    return new TestWatch(this.source, query, namespace);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.closing.abort(new FlotillaError("UNAVAILABLE", "the test is over"));
    await this.failed.catch(() => undefined);
    if (this.#ownsStore) await this.store.close();
  }
}

/** A watch of config maps that reads only when eventTexts to. */
export class TestWatch implements AsyncDisposable {
  readonly #gone = new AbortController();
  readonly #chunks: AsyncGenerator<Uint8Array>;
  #pending: Promise<IteratorResult<Uint8Array>> | undefined;
  #isDone = false;

  constructor(source: WatchSource, query: string, namespace: string | undefined) {
    const options = parseListOptions(new URLSearchParams(`watch=true&${query}`));
    const form = createEventForm({
      resource: configMapResource,
      form: { mediaType: "application/json", representation: { kind: "object" } },
      includeObject: "Metadata",
      nowMs: () => source.clock.wallMs(),
    });
    const selection = new Selection(configMapResource, { namespace }, options);
    const { signal } = this.#gone;
    this.#chunks = watchObjects(source, { resource: configMapResource, selection, options, form, signal });
  }

  /** True once the stream has ended. */
  get isDone(): boolean {
    return this.#isDone;
  }

  /** Everything that comes without waiting for something to happen. */
  async read(): Promise<readonly SeenEvent[]> {
    const events: SeenEvent[] = [];
    for (let chunk = await this.readChunk(); chunk !== undefined; chunk = await this.readChunk()) events.push(...chunk);
    return events;
  }

  /** One chunk, if one comes without waiting. */
  async readChunk(): Promise<readonly SeenEvent[] | undefined> {
    if (this.#isDone) return undefined;
    this.#pending ??= this.#chunks.next();
    const result = await Promise.race([this.#pending, settle()]);
    if (result === undefined) return undefined;
    this.#pending = undefined;
    this.#isDone = result.done === true;
    return result.done === true ? undefined : parseLines(result.value);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#gone.abort(new Error("the test is over"));
    await this.#pending;
    await this.#chunks.return(undefined);
  }
}

/** Events as `TYPE name@resourceVersion`; what has no name, as bookmarks, without it. */
export function eventTexts(events: readonly SeenEvent[]): readonly string[] {
  return events.map(({ type, object }) => {
    const { name, resourceVersion } = object["metadata"] as {
      readonly name?: string;
      readonly resourceVersion?: string;
    };
    return `${type}${name === undefined ? "" : ` ${name}`}@${resourceVersion}`;
  });
}

/** The objects of a page as `name@revision`. */
export function listed({ items }: ListedPage): readonly string[] {
  return items.map(({ name, revision }) => `${name}@${revision}`);
}

export function toConfigMap({ name, namespace = "default", labels, value }: TestObject): DraftObject {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace, ...(labels === undefined ? {} : { labels: { ...labels } }) },
    ...(value === undefined ? {} : { data: { value } }),
  };
}

export function parseLines(chunk: Uint8Array): readonly SeenEvent[] {
  const lines = new TextDecoder().decode(chunk).split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as SeenEvent);
}

function versionOf(written: Written | undefined): number {
  const { resourceVersion } = (written?.object["metadata"] ?? {}) as { readonly resourceVersion?: string };
  return Number(resourceVersion ?? 0);
}
