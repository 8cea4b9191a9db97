// SPDX-License-Identifier: Apache-2.0
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createInThreadPort } from "../../base/in-thread-port.ts";
import { silentLogger } from "../../base/log.ts";
import { createSeededRandom } from "../../base/random.ts";
import { ManualClock, settle } from "../../base/testing/manual-clock.ts";
import { createStore } from "../../store/create-store.ts";
import type { Store } from "../../store/store.ts";
import { MemoryEngine } from "../../store/testing/memory-engine.ts";
import { runRetention } from "../retention.ts";
import type { RejectionFacts, SessionFacts } from "../sessions/session-events.ts";
import { SessionHistory, type SessionHistoryEvent } from "./session-history.ts";
import { cellMs, cellOf } from "./strip.ts";

const session: SessionFacts = {
  cluster: "a",
  shard: "",
  agentId: "agent",
  agentVersion: "1",
  incarnation: "inc",
  address: "10.0.0.1",
  epoch: 7,
  connectedAtMs: 0,
  heartbeatMs: 5_000,
};
const attempt: RejectionFacts = {
  cluster: "a",
  shard: "",
  agentId: "rival",
  address: "10.0.0.2",
  reason: "ACTIVE_SESSION",
  retryAfterMs: 1_000,
  detail: "another agent is live",
  isProven: true,
};

let clock: ManualClock;
let store: Store;
let clusterCount: number;
let history: SessionHistory;
let events: SessionHistoryEvent[];
let stop: () => Promise<void>;

async function start(runId = "run_1"): Promise<void> {
  events = [];
  history = new SessionHistory({
    store,
    clock,
    random: createSeededRandom("history"),
    log: silentLogger,
    runId,
    isRegistered: (cluster) => cluster === "a",
    hasClusters: () => clusterCount > 0,
    onEvent: (event) => void events.push(event),
  });
  const stopping = new AbortController();
  await store.leases.acquire("fleet-tasks", "hub run", 1);
  const held = { fence: { lease: "fleet-tasks", epoch: 1n }, signal: stopping.signal };
  const running = [history.run(stopping.signal), runRetention([history.retention], { clock, log: silentLogger }, held)];
  stop = async () => {
    stopping.abort(new Error("done"));
    await Promise.allSettled(running);
    await history.flush();
  };
  await settle();
}

beforeEach(async () => {
  clock = new ManualClock();
  clusterCount = 1;
  store = await createStore(createInThreadPort(new MemoryEngine({ clock, storeId: "st_test" })), {
    clock,
    bookmarkMs: 365 * 86_400_000,
  });
  await start();
});

afterEach(async () => {
  await stop();
  expect(clock.timerCount).toBe(0);
});

const listed = async (): Promise<readonly string[]> =>
  (await history.list("a")).map(({ what, reason }) => `${what} ${reason}`.trim());

test("what becomes of sessions is told at once and kept in order, across runs of the hub", async () => {
  history.handlers.began({ session, nowMs: 0 });
  await clock.advance(10);
  history.handlers.rejected({ attempt, nowMs: 0 });
  await clock.advance(10);
  history.handlers.ended({ session, ending: { kind: "lost", reason: "superseded", detail: "taken" }, nowMs: 0 });
  await clock.advance(10);
  history.handlers.began({ session: { ...session, epoch: 8 }, nowMs: 0 });
  history.handlers.ended({ session: { ...session, epoch: 8 }, ending: { kind: "left", reason: "done" }, nowMs: 0 });
  const expected = ["accepted", "rejected ACTIVE_SESSION", "fenced superseded", "accepted", "ended left"];
  expect(events.map(({ what, reason }) => `${what} ${reason}`.trim())).toEqual(expected);
  await settle();
  expect(await listed()).toEqual(expected);
  expect(await history.list("a")).toEqual(events);
  await stop();
  await start("run_2");
  expect(await listed()).toEqual(expected);
});

test("what came after the hub began to close is stored by the last flush", async () => {
  await stop();
  history.handlers.ended({
    session,
    ending: { kind: "lost", reason: "hubClosing", detail: "the hub closed" },
    nowMs: 0,
  });
  expect(history.waitingCount).toBe(1);
  await history.flush();
  expect(history.waitingCount).toBe(0);
  expect(await listed()).toEqual(["ended hubClosing"]);
});

test("sessions of other shards and clusters that are not registered leave no trace", async () => {
  history.handlers.began({ session: { ...session, shard: "delivery" }, nowMs: 0 });
  history.handlers.ended({
    session: { ...session, shard: "delivery" },
    ending: { kind: "left", reason: "" },
    nowMs: 0,
  });
  history.handlers.rejected({ attempt: { ...attempt, cluster: "claimed" }, nowMs: 0 });
  await settle();
  expect(events).toEqual([]);
  expect(await history.list("claimed")).toEqual([]);
});

describe("rejections", () => {
  test("of one agent for one reason are one entry an hour, until a session is accepted", async () => {
    for (let round = 0; round < 100; round += 1) {
      history.handlers.rejected({ attempt, nowMs: 0 });
      await clock.advance(30_000);
    }
    expect(events).toHaveLength(1);
    await clock.advance(600_000);
    history.handlers.rejected({ attempt, nowMs: 0 });
    expect(events).toHaveLength(2);
    history.handlers.rejected({ attempt: { ...attempt, agentId: "other" }, nowMs: 0 });
    history.handlers.rejected({ attempt: { ...attempt, reason: "GRACE_PERIOD" }, nowMs: 0 });
    expect(events).toHaveLength(4);
    history.handlers.began({ session, nowMs: 0 });
    history.handlers.rejected({ attempt, nowMs: 0 });
    expect(events).toHaveLength(6);
  });

  test("of somebody without a key are told apart by their reason alone, whatever names are claimed", () => {
    for (let at = 0; at < 1_000; at += 1)
      history.handlers.rejected({
        attempt: { ...attempt, reason: "UNAUTHORIZED", agentId: `agent-${at}`, isProven: false },
        nowMs: 0,
      });
    expect(events).toHaveLength(1);
  });
});

test("[L13] what waits for a store that does not answer is bounded, and everything is still told", async () => {
  await stop();
  for (let at = 0; at < 10_050; at += 1) history.handlers.began({ session: { ...session, epoch: at }, nowMs: 0 });
  expect(events).toHaveLength(10_050);
  expect(history.waitingCount).toBe(10_000);
});

test("old entries go by count and by age", async () => {
  for (let at = 0; at < 450; at += 1) {
    history.handlers.began({ session: { ...session, epoch: at }, nowMs: 0 });
    await clock.advance(1);
  }
  await clock.advance(3_600_000);
  expect(await history.list("a")).toHaveLength(400);
  await stop();
  await clock.advance(31 * 86_400_000);
  await start("run_2");
  await settle();
  expect(await history.list("a")).toEqual([]);
});

test("each half hour in which the hub has clusters to look at is marked once, and a hub without clusters writes nothing", async () => {
  const beganMs = clock.wallMs();
  clusterCount = 0;
  const { revision } = store;
  await clock.advance(cellMs);
  expect(store.revision).toBe(revision);
  clusterCount = 1;
  history.noteWatched();
  history.noteWatched();
  history.handlers.began({ session, nowMs: 0 });
  await clock.advance(2 * cellMs);
  expect((await history.loadWatched(beganMs - 1)).momentsMs.map(cellOf)).toEqual(
    [1, 2, 3].map((cell) => cellOf(beganMs) + cell),
  );
  expect((await history.loadWatched(beganMs + 2.5 * cellMs)).momentsMs.map(cellOf)).toEqual([cellOf(beganMs) + 3]);
  expect((await history.loadWatched(beganMs - 1)).beganMs.map(cellOf)).toEqual([cellOf(beganMs) + 1]);
  expect(await listed()).toEqual(["accepted"]);
});
