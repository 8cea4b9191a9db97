// SPDX-License-Identifier: Apache-2.0
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { FlotillaError } from "../../base/error.ts";
import { createInThreadPort } from "../../base/in-thread-port.ts";
import { silentLogger } from "../../base/log.ts";
import { createSeededRandom } from "../../base/random.ts";
import { ManualClock, settle } from "../../base/testing/manual-clock.ts";
import type { ConnectionState } from "../../health/health-state.ts";
import type { Transition } from "../../health/transition.ts";
import { parseClusterId } from "../../model/cluster-id.ts";
import { createStore } from "../../store/create-store.ts";
import type { Store } from "../../store/store.ts";
import { MemoryEngine } from "../../store/testing/memory-engine.ts";
import { HealthRig } from "../health/testing/health-rig.ts";
import { runRetention } from "../retention.ts";
import { TransitionHistory, type TransitionHistoryOptions } from "./transition-history.ts";

const a = parseClusterId("a");
const b = parseClusterId("b");

describe("history of transitions", () => {
  let clock: ManualClock;
  let store: Store;
  let stop: AbortController;
  let runs: Promise<void>[];
  let isStoreDown: boolean;

  beforeEach(async () => {
    clock = new ManualClock();
    const opened = await createStore(createInThreadPort(new MemoryEngine({ clock, storeId: "st_test" })), {
      clock,
      bookmarkMs: 365 * 86_400_000,
    });
    isStoreDown = false;
    store = new Proxy(opened, {
      get(target, name) {
        if (name === "commit" && isStoreDown) {
          return () => Promise.reject(new FlotillaError("UNAVAILABLE", "the disk is away"));
        }
        const member: unknown = Reflect.get(target, name);
        return typeof member === "function" ? (member.bind(target) as unknown) : member;
      },
    });
    stop = new AbortController();
    runs = [];
  });

  afterEach(async () => {
    stop.abort(new Error("done"));
    for (const run of runs) await expect(run).rejects.toThrow("done");
    await store.close();
    expect(clock.timerCount).toBe(0);
  });

  function open(options: Partial<TransitionHistoryOptions> = {}): TransitionHistory {
    const history = new TransitionHistory({
      store,
      clock,
      random: createSeededRandom("history"),
      log: silentLogger,
      runId: "run_test",
      ...options,
    });
    runs.push(history.run(stop.signal));
    return history;
  }

  function change(cluster: Transition["cluster"], from: ConnectionState, to: ConnectionState): Transition {
    return { cluster, from, to, reason: "agentLost", sentence: "lost", atMs: clock.wallMs() };
  }

  test("[HE12] every transition that the monitor tells is stored, once and in order, under its cluster", async () => {
    const history = open();
    const rig = new HealthRig({ sinks: [history] });
    rig.arrive("a");
    rig.lose("a");
    rig.arrive("b");
    await settle();
    expect((await history.list(a)).map(({ from, to }) => `${from} > ${to}`)).toEqual([
      "neverSeen > catchingUp",
      "catchingUp > live",
      "live > disconnected",
    ]);
    expect(await history.list(b)).toHaveLength(2);
    expect((await history.list(a))[2]).toEqual(rig.transitions[2]);
    rig.health.stop();
  });

  test("[HE12] a store that is away holds up nobody, and gets everything in order when it is back", async () => {
    const history = open();
    isStoreDown = true;
    for (const to of ["stale", "disconnected", "catchingUp"] as const) {
      history.transition(change(a, "live", to));
      await clock.advance(1_000);
    }
    expect(await history.list(a)).toEqual([]);
    isStoreDown = false;
    await clock.advance(30_000);
    expect((await history.list(a)).map(({ to }) => to)).toEqual(["stale", "disconnected", "catchingUp"]);
  });

  test("[HE12] beyond the bound a newer transition takes in the one that waits, and history still says where it led", async () => {
    isStoreDown = true;
    const history = open({ maxWaitingCount: 4 });
    history.transition(change(a, "live", "stale"));
    await settle();
    for (let round = 0; round < 100; round += 1) {
      history.transition(change(a, "stale", "catchingUp"));
      history.transition(change(a, "catchingUp", "stale"));
      history.transition(change(b, "live", "stale"));
      expect(history.waitingCount).toBeLessThanOrEqual(5);
    }
    history.transition(change(a, "stale", "catchingUp"));
    history.transition(change(a, "catchingUp", "disconnected"));
    isStoreDown = false;
    await clock.advance(30_000);
    const stored = await history.list(a);
    expect(stored.at(-1)).toMatchObject({ to: "disconnected" });
    expect(stored.slice(1).map(({ from }) => from)).toEqual(stored.slice(0, -1).map(({ to }) => to));
    expect(await history.list(b)).not.toEqual([]);
  });

  test("rows over their time or their count go, of each cluster apart", async () => {
    const history = open({ retentionMs: 10 * 3_600_000, keepCount: 3 });
    await store.leases.acquire("fleet-tasks", "hub run", 1);
    const fence = { lease: "fleet-tasks", epoch: 1n };
    runs.push(runRetention([history.retention], { clock, log: silentLogger }, { fence, signal: stop.signal }));
    for (let hour = 0; hour < 5; hour += 1) {
      history.transition(change(a, "live", "stale"));
      if (hour === 0) history.transition(change(b, "live", "stale"));
      await clock.advance(3_600_000);
    }
    expect(await history.list(a)).toHaveLength(3);
    expect(await history.list(b)).toHaveLength(1);
    await clock.advance(6 * 3_600_000);
    expect(await history.list(b)).toHaveLength(0);
    await clock.advance(10 * 3_600_000);
    expect(await history.list(a)).toHaveLength(0);
  });

  test("[ST44] a hub that has lost the fleet's tasks removes nothing", async () => {
    const history = open({ keepCount: 1 });
    for (let count = 0; count < 3; count += 1) history.transition(change(a, "live", "stale"));
    await clock.advance(1_000);
    await store.leases.acquire("fleet-tasks", "hub run", 1);
    await history.retention.removeOld({ fence: { lease: "fleet-tasks", epoch: 0n }, signal: stop.signal });
    expect(await history.list(a)).toHaveLength(3);
    await history.retention.removeOld({ fence: { lease: "fleet-tasks", epoch: 1n }, signal: stop.signal });
    expect(await history.list(a)).toHaveLength(1);
  });

  test("a list begins after a moment and is bounded", async () => {
    const history = open();
    const times: number[] = [];
    for (let index = 0; index < 4; index += 1) {
      times.push(clock.wallMs());
      history.transition(change(a, "live", "stale"));
      await clock.advance(10);
    }
    expect((await history.list(a, { afterMs: times[1] ?? 0 })).map(({ atMs }) => atMs)).toEqual(times.slice(2));
    expect(await history.list(a, { limit: 1 })).toHaveLength(1);
  });

  test("what waits when the hub closes is still written", async () => {
    const history = open();
    await settle();
    history.transition(change(a, "live", "disconnected"));
    stop.abort(new Error("done"));
    await expect(runs[0]).rejects.toThrow("done");
    expect(await history.list(a)).toHaveLength(1);
  });

  test("[HE12] what a store refused until the hub closed is still written at the close", async () => {
    const history = open();
    isStoreDown = true;
    history.transition(change(a, "live", "disconnected"));
    await clock.advance(1_000);
    isStoreDown = false;
    stop.abort(new Error("done"));
    await expect(runs[0]).rejects.toThrow("done");
    expect(await history.list(a)).toHaveLength(1);
  });

  test("two runs of the hub in the same millisecond write rows of their own", async () => {
    for (const runId of ["run_one", "run_two"]) {
      const history = open({ runId });
      history.transition(change(a, "live", "disconnected"));
      await settle();
    }
    expect(await open().list(a)).toHaveLength(2);
  });
});
