// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { createInThreadPort } from "../base/in-thread-port.ts";
import { silentLogger } from "../base/log.ts";
import { createSeededRandom } from "../base/random.ts";
import { ManualClock } from "../base/testing/manual-clock.ts";
import { silentMetrics } from "../base/testing/silent-metrics.ts";
import { toRevision } from "../model/revision.ts";
import { createHasher } from "../model/rows/hasher.ts";
import { createStore } from "../store/create-store.ts";
import { put } from "../store/store.ts";
import { objects } from "../store/tables.ts";
import { MemoryEngine } from "../store/testing/memory-engine.ts";
import { MemoryFleetLog } from "../store/testing/memory-fleet-log.ts";
import { createHub } from "./hub.ts";
import { createInThreadIndex } from "./index/testing/in-thread-index.ts";

async function openHub() {
  const clock = new ManualClock();
  const store = await createStore(createInThreadPort(new MemoryEngine({ clock, storeId: "st_test" })), { clock });
  const fleetLog = createInThreadPort(new MemoryFleetLog({ clock }));
  const hub = createHub({
    store,
    fleetLog,
    clock,
    random: createSeededRandom("hub"),
    log: silentLogger,
    metrics: silentMetrics,
    index: createInThreadIndex({
      codec: { compress: (bytes) => Promise.resolve(bytes), decompress: (bytes) => Promise.resolve(bytes) },
      hasher: await createHasher(),
      pause: () => clock.sleep(0),
    }),
    verifier: { verify: () => Promise.resolve(false) },
    hubName: "hub",
    hubCa: () => "",
    settings: {},
    thresholds: {},
    version: "test",
    changeRetentionMs: 3_600_000,
    historyRetentionMs: 3_600_000,
    auditRetentionMs: 3_600_000,
  });
  const readiness = (): Promise<string[]> =>
    Promise.all(
      [...hub.readiness].map(([name, check]) =>
        check().then(
          () => `${name}: ready`,
          () => `${name}: not ready`,
        ),
      ),
    );
  return { clock, store, hub, readiness };
}

test("[U-73] a hub is ready once it knows its tokens, and not ready any more without its store", async () => {
  const { store, hub, readiness } = await openHub();
  expect(await readiness()).toEqual(["store: ready", "fleet-log: ready", "tokens: not ready"]);
  const stop = new AbortController();
  const running = hub.run(stop.signal);
  await hub.tokens.loaded;
  expect(await readiness()).toEqual(["store: ready", "fleet-log: ready", "tokens: ready"]);
  await store.close();
  expect(await readiness()).toContain("store: not ready");
  stop.abort(new Error("done"));
  await running;
});

test("[ST17] the hub compacts changes by their retention, and keeps the newest", async () => {
  const { clock, store, hub } = await openHub();
  const body = new TextEncoder().encode("x");
  for (let index = 0; index < 1_010; index += 1)
    await store.commit([put(objects, ["root", "things", "", `${index}`], { body })]);
  const stop = new AbortController();
  const running = hub.run(stop.signal);
  await clock.advance(3_600_000 + 120_000);
  const from = (revision: number) => {
    const cursor = store.cursor(toRevision(revision));
    const watching = store.watch(objects, { from: cursor, signal: stop.signal });
    return watching[Symbol.asyncIterator]().next();
  };
  await expect(from(9)).rejects.toMatchObject({ code: "GONE" });
  expect((await from(10)).value).toMatchObject({ revision: 1_010n });
  stop.abort(new Error("done"));
  await running;
  await store.close();
});
