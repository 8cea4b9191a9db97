// SPDX-License-Identifier: Apache-2.0
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { isCancellation, untilAborted } from "../base/abort.ts";
import { createInThreadPort } from "../base/in-thread-port.ts";
import { silentLogger } from "../base/log.ts";
import { ManualClock, settle } from "../base/testing/manual-clock.ts";
import { createStore } from "../store/create-store.ts";
import { type Leases, put, type Store } from "../store/store.ts";
import { objects } from "../store/tables.ts";
import { MemoryEngine } from "../store/testing/memory-engine.ts";
import { type HeldLease, runFleetTasks } from "./fleet-tasks.ts";

const leaseMs = 30_000;
let clock: ManualClock;
let store: Store;
let hubs: TaskHub[];

/** A hub that notes when it does the tasks of the fleet. */
class TaskHub {
  held: HeldLease | undefined;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;

  constructor(hubId: string, runId = "run", through: Store = store) {
    const task = async (held: HeldLease): Promise<void> => {
      this.held = held;
      await untilAborted(held.signal);
    };
    const options = { store: through, clock, log: silentLogger, hubId, runId, leaseMs };
    this.#running = runFleetTasks([task], options, this.#stopping.signal).catch((reason: unknown) => {
      if (!isCancellation(this.#stopping.signal, reason)) throw reason;
    });
    hubs.push(this);
  }

  get isDoing(): boolean {
    return this.held !== undefined && !this.held.signal.aborted;
  }

  async stop(): Promise<void> {
    this.#stopping.abort(new Error("done"));
    await this.#running;
  }
}

/** The store as a hub has it that loses its way to it: leases are not answered before the gate opens. */
function behindGate(gate: () => Promise<void>): Store {
  const leases: Leases = {
    async acquire(...args) {
      await gate();
      return store.leases.acquire(...args);
    },
    release: (...args) => store.leases.release(...args),
  };
  return new Proxy(store, {
    get: (target, name) => {
      if (name === "leases") return leases;
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
}

describe("tasks of the fleet", () => {
  beforeEach(async () => {
    clock = new ManualClock();
    store = await createStore(createInThreadPort(new MemoryEngine({ clock, storeId: "st_test" })), { clock });
    hubs = [];
  });

  afterEach(async () => {
    for (const hub of hubs) await hub.stop();
    await store.close();
    expect(clock.timerCount).toBe(0);
  });

  test("[ST44] one of two hubs does them, for as long as it lives; the other goes on at once when it stops in order", async () => {
    const one = new TaskHub("one");
    await settle();
    const two = new TaskHub("two");
    await clock.advance(10 * leaseMs);
    expect([one.isDoing, two.isDoing]).toEqual([true, false]);
    await one.stop();
    await clock.advance(leaseMs / 3);
    expect([one.isDoing, two.isDoing]).toEqual([false, true]);
  });

  test("[ST44] a hub without its store stops within the lease, before another one begins", async () => {
    let gate = Promise.resolve();
    const one = new TaskHub(
      "one",
      "run",
      behindGate(() => gate),
    );
    await settle();
    const two = new TaskHub("two");
    await clock.advance(leaseMs / 3);
    const shut = Promise.withResolvers<void>();
    gate = shut.promise;
    await clock.advance(leaseMs - 1);
    expect([one.isDoing, two.isDoing]).toEqual([true, false]);
    await clock.advance(1);
    expect(one.isDoing).toBe(false);
    await clock.advance(leaseMs / 3);
    expect(two.isDoing).toBe(true);
    shut.resolve();
    await clock.advance(leaseMs);
    expect([one.isDoing, two.isDoing]).toEqual([false, true]);
  });

  test("[ST26] [ST44] what the hub that lost them still writes is refused", async () => {
    const one = new TaskHub("one");
    await settle();
    const fence = one.held?.fence;
    await one.stop();
    const two = new TaskHub("two");
    await settle();
    expect(two.isDoing).toBe(true);
    const write = put(objects, ["root", "things", "", "a"], { body: new Uint8Array() });
    expect(await store.commit([write], fence === undefined ? {} : { fence })).toMatchObject({ kind: "fenced" });
  });

  test("[ST44] a hub that starts anew takes them back from its earlier run at once, and fences that run", async () => {
    await store.leases.acquire("fleet-tasks", "one crashed", leaseMs);
    const one = new TaskHub("one", "next");
    await settle();
    expect(one.isDoing).toBe(true);
    expect(one.held?.fence.epoch).toBe(2n);
  });
});
