// SPDX-License-Identifier: Apache-2.0
// Two stores over the same rows, as two processes have them.

import { createInThreadPort } from "../../src/base/in-thread-port.ts";
import { ManualClock } from "../../src/base/testing/manual-clock.ts";
import { systemClock } from "../../src/base/time/system-clock.ts";
import { createStore, type StoreOptions } from "../../src/store/create-store.ts";
import { openHubStore } from "../../src/store/sqlite/open-hub-store.ts";
import type { Store } from "../../src/store/store.ts";
import type { StoreEngine } from "../../src/store/store-engine.ts";
import { MemoryEngine } from "../../src/store/testing/memory-engine.ts";
import { createPlainEngine, openScratch } from "./store-under-test.ts";

/** Two stores on one revision line. Nothing tells either of them what the other commits. Disposal closes both. */
export interface SharedStore extends AsyncDisposable {
  readonly one: Store;
  readonly other: Store;
  /** Of both. */
  readonly clock: ManualClock;
}

export type OpenSharedStore = (options?: Omit<StoreOptions, "clock">) => Promise<SharedStore>;

/** Two stores over one engine in memory: as two clients of one database server. */
export async function openSharedMemory(options: Omit<StoreOptions, "clock"> = {}): Promise<SharedStore> {
  const clock = new ManualClock();
  const engine: StoreEngine = new MemoryEngine({ clock, storeId: "st_memory" });
  return openBoth(clock, () => createStore(createInThreadPort(engine), { clock, ...options }));
}

/** Two SQLite connections to one file, in this thread. */
export async function openSharedSqlite(options: Omit<StoreOptions, "clock"> = {}): Promise<SharedStore> {
  const scratch = openScratch();
  const clock = new ManualClock();
  return openBoth(
    clock,
    () =>
      createStore(createInThreadPort<StoreEngine>(createPlainEngine(scratch.path("hub.db"), clock)), {
        clock,
        ...options,
      }),
    scratch,
  );
}

/** Two SQLite connections to one file, each in a thread of its own: their transactions really meet. */
export async function openSharedWorkers(options: Omit<StoreOptions, "clock"> = {}): Promise<SharedStore> {
  const scratch = openScratch();
  const clock = new ManualClock({ wallStartMs: systemClock.wallMs() + 3_600_000 });
  const files = { file: scratch.path("hub.db"), keyFile: scratch.path("keys"), encryptedResources: [] };
  return openBoth(clock, () => openHubStore(files, { clock, ...options }), scratch);
}

async function openBoth(clock: ManualClock, open: () => Promise<Store>, scratch?: Disposable): Promise<SharedStore> {
  const one = await open();
  const other = await open();
  return {
    one,
    other,
    clock,
    async [Symbol.asyncDispose]() {
      await one.close();
      await other.close();
      scratch?.[Symbol.dispose]();
    },
  };
}
