// SPDX-License-Identifier: Apache-2.0
import { createBuiltinResources } from "../../src/apiserver/builtin-resources.ts";
import { createEventForm } from "../../src/apiserver/dispatch/event-form.ts";
import { parseListOptions } from "../../src/apiserver/request/list-options.ts";
import type { Resource } from "../../src/apiserver/resources/resource.ts";
import { loadSchemaTable } from "../../src/apiserver/schema/load-schema-table.ts";
import { ObjectCache } from "../../src/apiserver/storage/object-cache.ts";
import { Selection } from "../../src/apiserver/storage/object-selection.ts";
import { type EventForm, type WatchSource, watchObjects } from "../../src/apiserver/storage/watch-cached.ts";
import { createInThreadPort } from "../../src/base/in-thread-port.ts";
import { systemRandom } from "../../src/base/system-random.ts";
import { systemClock } from "../../src/base/time/system-clock.ts";
import { createStore } from "../../src/store/create-store.ts";
import type { StoreEngine } from "../../src/store/store-engine.ts";
import { MemoryEngine } from "../../src/store/testing/memory-engine.ts";
import { EventCounter } from "./event-counter.ts";
import { clusterName, storedConfigMap } from "./our-files.ts";
import { report } from "./report.ts";

const watchCount = 100;
const changeCount = 10_000;
/** Changes in one commit: about what 64 writers make up. */
const commitCount = 32;

/** The form of usual watches, and how many lines it was asked to make. */
function createCountedForm(resource: Resource, encoded: { count: number }): EventForm {
  const form = createEventForm({
    resource,
    form: { mediaType: "application/json", representation: { kind: "object" } },
    includeObject: "None",
    nowMs: () => systemClock.wallMs(),
  });
  return {
    ...form,
    line: (type, cached, revision) => {
      encoded.count += 1;
      return form.line(type, cached, revision);
    },
  };
}

async function follow(source: WatchSource, resource: Resource, form: EventForm): Promise<number> {
  const stop = new AbortController();
  const options = parseListOptions(new URLSearchParams("watch=1&resourceVersion=1"));
  const selection = new Selection(resource, { namespace: undefined }, options);
  const counter = new EventCounter();
  for await (const chunk of watchObjects(source, { resource, selection, options, form, signal: stop.signal })) {
    counter.take(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length));
    if (counter.count >= changeCount) break;
  }
  return counter.count;
}

/**
 * Each change to a hundred watches inside of one process, without sockets and disk: shows that an event is encoded
 * once, and what telling a hundred watches costs besides TLS.
 */
export async function benchEncoding(): Promise<void> {
  const clock = systemClock;
  const engine: StoreEngine = new MemoryEngine({ clock, storeId: "st_bench" });
  const store = await createStore(createInThreadPort(engine), { clock });
  const stop = new AbortController();
  await store.commit([storedConfigMap(0, 0)]);
  const { cache, failed } = await ObjectCache.open({ store, cluster: clusterName }, stop.signal);
  const resource = createBuiltinResources(loadSchemaTable()).find(({ storageId }) => storageId === "configmaps");
  if (resource === undefined) throw new Error("there is no resource configmaps");
  const source: WatchSource = { store, cluster: clusterName, cache, clock, random: systemRandom };
  const encoded = { count: 0 };
  const watches = Array.from({ length: watchCount }, () =>
    follow(source, resource, createCountedForm(resource, encoded)),
  );
  const startedMs = performance.now();
  for (let serial = 0; serial < changeCount; serial += commitCount) {
    const count = Math.min(commitCount, changeCount - serial);
    await store.commit(
      Array.from({ length: count }, (_, index) => storedConfigMap((serial + index) % 1000, serial + 1)),
    );
  }
  const deliveries = (await Promise.all(watches)).reduce((sum, count) => sum + count, 0);
  const seconds = (performance.now() - startedMs) / 1000;
  stop.abort(new Error("all is measured"));
  await failed;
  await store.close();
  report(`each event to ${watchCount} watches, no sockets`, {
    deliveriesPerSecond: deliveries / seconds,
    deliveries,
    encodedPerEvent: encoded.count / changeCount,
    meetsGoal: encoded.count === changeCount,
  });
}
