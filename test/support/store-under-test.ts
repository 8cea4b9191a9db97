// SPDX-License-Identifier: Apache-2.0
// The three ways to run a Store that the contract suite holds to the same rules.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInThreadPort } from "../../src/base/in-thread-port.ts";
import { createSeededRandom } from "../../src/base/random.ts";
import { ManualClock } from "../../src/base/testing/manual-clock.ts";
import { systemClock } from "../../src/base/time/system-clock.ts";
import { createStore, type StoreOptions } from "../../src/store/create-store.ts";
import { BodyCipher } from "../../src/store/keys/body-cipher.ts";
import { openHubStore } from "../../src/store/sqlite/open-hub-store.ts";
import { SqliteEngine } from "../../src/store/sqlite/sqlite-engine.ts";
import type { Store } from "../../src/store/store.ts";
import type { StoreEngine } from "../../src/store/store-engine.ts";
import { MemoryEngine } from "../../src/store/testing/memory-engine.ts";

/** A store and the clock by which its watches tell time. Disposal closes the store and removes its files. */
export interface StoreUnderTest extends AsyncDisposable {
  readonly store: Store;
  readonly clock: ManualClock;
  /** Closes the store and opens another over the same rows. Undefined where the rows end with the engine. */
  readonly reopen?: () => Promise<Store>;
}

export type TestStoreOptions = Omit<StoreOptions, "clock">;
export type OpenStore = (options?: TestStoreOptions) => Promise<StoreUnderTest>;

/** A folder under the system's temporary one, gone when disposed. */
export function openScratch(): Disposable & { readonly folder: string; path(name: string): string } {
  const folder = mkdtempSync(join(tmpdir(), "flotilla-store-"));
  return {
    folder,
    path: (name) => join(folder, name),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Everything in plain maps, in this thread. */
export async function openMemoryStore(options: TestStoreOptions = {}): Promise<StoreUnderTest> {
  const clock = new ManualClock();
  const engine: StoreEngine = new MemoryEngine({ clock, storeId: "st_memory" });
  const store = await createStore(createInThreadPort(engine), { clock, ...options });
  return { store, clock, [Symbol.asyncDispose]: () => store.close() };
}

/** An engine over a file, or `:memory:`, that seals nothing. */
export function createPlainEngine(file: string, clock: ManualClock): SqliteEngine {
  const random = createSeededRandom(file);
  return new SqliteEngine({ file, clock, random, cipher: new BodyCipher({ random, resources: [] }) });
}

/** SQLite in this thread, on the manual clock. */
export async function openSqliteStore(options: TestStoreOptions = {}): Promise<StoreUnderTest> {
  const scratch = openScratch();
  const clock = new ManualClock();
  return reopenable(scratch, clock, () =>
    createStore(createInThreadPort<StoreEngine>(createPlainEngine(scratch.path("hub.db"), clock)), {
      clock,
      ...options,
    }),
  );
}

/** The same engine without a file: for tests of what it answers, not of what it keeps. */
export async function openSqliteInMemory(options: TestStoreOptions = {}): Promise<StoreUnderTest> {
  const clock = new ManualClock();
  const port = createInThreadPort<StoreEngine>(createPlainEngine(":memory:", clock));
  const store = await createStore(port, { clock, ...options });
  return { store, clock, [Symbol.asyncDispose]: () => store.close() };
}

/**
 * SQLite as the hub runs it: in its own thread, which keeps the machine's time. The store's own clock is manual and an
 * hour ahead.
 */
export async function openWorkerStore(options: TestStoreOptions = {}): Promise<StoreUnderTest> {
  const scratch = openScratch();
  const clock = new ManualClock({ wallStartMs: systemClock.wallMs() + 3_600_000 });
  const files = { file: scratch.path("hub.db"), keyFile: scratch.path("keys"), encryptedResources: ["secrets"] };
  return reopenable(scratch, clock, () => openHubStore(files, { clock, ...options }));
}

async function reopenable(
  scratch: Disposable,
  clock: ManualClock,
  open: () => Promise<Store>,
): Promise<Required<StoreUnderTest>> {
  let store = await open();
  return {
    store,
    clock,
    async reopen() {
      await store.close();
      store = await open();
      return store;
    },
    async [Symbol.asyncDispose]() {
      await store.close();
      scratch[Symbol.dispose]();
    },
  };
}
