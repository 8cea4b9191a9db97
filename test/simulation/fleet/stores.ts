// SPDX-License-Identifier: Apache-2.0
// What a hub of the world keeps things in: two disks of its own, or two that hubs share.
import { FlotillaError } from "../../../src/base/error.ts";
import { createStore } from "../../../src/store/create-store.ts";
import type { FleetLog, FleetLogEngine } from "../../../src/store/fleet-log.ts";
import type { Store } from "../../../src/store/store.ts";
import type { StoreEngine } from "../../../src/store/store-engine.ts";
import type { SimDisk } from "../../support/sim/disk.ts";
import type { World } from "../../support/sim/world.ts";

/** Both, open, as one process of a hub has them. */
export interface OpenStores {
  readonly store: Store;
  readonly log: FleetLog;
  close(): Promise<void>;
}

/** The two databases. */
export interface Disks {
  readonly storeDisk: SimDisk<StoreEngine>;
  readonly logDisk: SimDisk<FleetLogEngine>;
}

/** Opens both; STORE_IN_USE while another has them. */
export async function openDisks({ clock }: World, { storeDisk, logDisk }: Disks): Promise<OpenStores> {
  const store = await createStore(await storeDisk.open(), { clock, bookmarkMs: 3_600_000 });
  try {
    const log = await logDisk.open();
    return {
      store,
      log,
      close: async () => {
        await log.close();
        await store.close();
      },
    };
  } catch (reason) {
    await store.close();
    throw reason;
  }
}

/** How often shared stores look whether everybody has left. */
const lookEveryMs = 500;

/** Stores that several hubs share: opened once, by a task of their own, and never down. One revision line, so one `Store` for all. */
export class SharedStores {
  readonly #opened = Promise.withResolvers<OpenStores>();
  readonly #connections: StoresConnection[] = [];

  constructor(world: World, disks: Disks) {
    world.spawn("stores", async (signal) => {
      const stores = await openDisks(world, disks);
      this.#opened.resolve(stores);
      while (!signal.aborted || this.#connections.some(({ isOpen }) => isOpen)) await world.clock.sleep(lookEveryMs);
      await stores.close();
    });
  }

  /** A hub's way to them. */
  connect(): StoresConnection {
    const connection = new StoresConnection(this.#opened.promise);
    this.#connections.push(connection);
    return connection;
  }
}

/** One hub's way to shared stores, which its crash cuts: what is under way may have happened, and the process hears nothing of it. */
export class StoresConnection {
  readonly #opened: Promise<OpenStores>;
  #gone = new AbortController();
  #isOpen = false;

  constructor(opened: Promise<OpenStores>) {
    this.#opened = opened;
  }

  /** A process has it, and has neither closed it nor crashed. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  async open(): Promise<OpenStores> {
    this.#gone = new AbortController();
    const { signal } = this.#gone;
    this.#isOpen = true;
    const { store, log } = await this.#opened;
    return {
      store: behindGate(store, signal),
      log: behindGate(log, signal),
      close: async () => {
        if (!signal.aborted) this.#isOpen = false;
      },
    };
  }

  crash(): void {
    this.#isOpen = false;
    this.#gone.abort(new FlotillaError("UNAVAILABLE", "the connection to the store went down with its process"));
  }
}

/** The port, each call of which is refused once the gate is shut; answers that come later too. */
function behindGate<Port extends object>(port: Port, gone: AbortSignal): Port {
  return new Proxy(port, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      if (typeof value === "object" && value !== null) return behindGate(value, gone);
      if (typeof value !== "function") return value;
      return (...args: unknown[]) => {
        gone.throwIfAborted();
        const answer: unknown = Reflect.apply(value, target, args);
        if (!(answer instanceof Promise)) return answer;
        return answer.finally(() => gone.throwIfAborted());
      };
    },
  });
}
