// SPDX-License-Identifier: Apache-2.0
import { beforeEach, describe, expect, test } from "vitest";
import type { ConnectionState } from "../../../health/health-state.ts";
import { parseClusterId } from "../../../model/cluster-id.ts";
import type { HeartbeatFacts, KindFacts, SessionFacts } from "../../sessions/session-events.ts";
import { AgentTracker } from "./agent-tracker.ts";

const session: SessionFacts = {
  cluster: "a",
  shard: "",
  agentId: "agent",
  agentVersion: "1.0",
  incarnation: "one",
  address: "10.0.0.1",
  epoch: 1,
  connectedAtMs: 0,
  heartbeatMs: 5_000,
};
const heartbeat: HeartbeatFacts = {
  number: 1n,
  apiServerFault: "",
  apiServerSinceMsAgo: 0,
  apiServerError: "",
  apiServerAttemptCount: 0,
  apiServerRetryInMs: 0,
  waitingRowCount: 0,
  oldestWaitingMs: 0,
  messageCount: 0,
  credential: undefined,
};

let book: AgentTracker;
let changed: string[];
let nowMs = 0;

beforeEach(() => {
  changed = [];
  nowMs = 0;
  book = new AgentTracker(
    (cluster) => void changed.push(cluster),
    () => nowMs,
  );
});

/** A kind that is watched and was listed so long ago; undefined where its agent does not say. */
function kind(resource: string, listedMsAgo: number | undefined): KindFacts {
  const counts = { refusedCount: 0, leftOutCount: 0, overrunMs: 0, sinceMsAgo: 0, currentMsAgo: 0 };
  const texts = { version: "v1", fault: "", verb: "", error: "", refusedError: "" };
  return { resource, state: "watching", listedMsAgo, isComplete: true, ...texts, ...counts };
}

function turn(from: ConnectionState, to: ConnectionState): void {
  book.transition({ cluster: parseClusterId("a"), from, to, reason: "agentLost", sentence: "", atMs: 0 });
}

test("the end of a session whose place was taken does not end the newer one", () => {
  book.handlers.began({ session, nowMs: 0 });
  book.handlers.began({ session: { ...session, epoch: 2, address: "10.0.0.9" }, nowMs: 10 });
  book.handlers.ended({ session, ending: { kind: "lost", reason: "superseded", detail: "" }, nowMs: 11 });
  expect(book.get("a")).toMatchObject({ isLive: true, epoch: 2, address: "10.0.0.9", sinceMs: 10 });
  book.handlers.ended({ session: { ...session, epoch: 2 }, ending: { kind: "left", reason: "" }, nowMs: 20 });
  expect(book.get("a")).toMatchObject({ isLive: false, sinceMs: 20, apiServer: undefined });
});

test("sessions of other shards say nothing", () => {
  book.handlers.began({ session: { ...session, shard: "delivery" }, nowMs: 0 });
  book.handlers.heartbeat({ session: { ...session, shard: "delivery" }, heartbeat, nowMs: 0 });
  expect(book.get("a")).toBeUndefined();
  expect(changed).toEqual([]);
});

test("[PG10] a heartbeat that says what the one before said tells nobody; one that says that changes wait does, by the second", () => {
  book.handlers.began({ session, nowMs: 0 });
  changed = [];
  nowMs = 0;
  for (let beat = 0; beat < 5; beat += 1) book.handlers.heartbeat({ session, heartbeat, nowMs: beat * 5_000 });
  book.handlers.heartbeat({ session, heartbeat: { ...heartbeat, oldestWaitingMs: 900 }, nowMs: 30_000 });
  expect(changed).toEqual([]);
  book.handlers.heartbeat({ session, heartbeat: { ...heartbeat, oldestWaitingMs: 1_100 }, nowMs: 35_000 });
  book.handlers.heartbeat({ session, heartbeat: { ...heartbeat, oldestWaitingMs: 1_900 }, nowMs: 40_000 });
  expect(changed).toEqual(["a"]);
  // When it tries again is told anew by each.
  book.handlers.heartbeat({
    session,
    heartbeat: { ...heartbeat, apiServerFault: "tcp", oldestWaitingMs: 1_900 },
    nowMs: 45_000,
  });
  expect(changed).toEqual(["a", "a"]);
});

test("the moment since when the API server answers does not move with the time that messages take", () => {
  book.handlers.began({ session, nowMs: 0 });
  for (const [nowMs, sinceMsAgo] of [
    [1_000, 500],
    [6_037, 5_500],
    [11_002, 10_490],
  ] as const) {
    book.handlers.heartbeat({ session, heartbeat: { ...heartbeat, apiServerSinceMsAgo: sinceMsAgo }, nowMs });
  }
  expect(book.get("a")?.apiServer).toEqual({ fault: "", error: "", sinceMs: 500 });
  book.handlers.heartbeat({ session, heartbeat: { ...heartbeat, apiServerSinceMsAgo: 1_000 }, nowMs: 20_000 });
  expect(book.get("a")?.apiServer?.sinceMs).toBe(19_000);
});

test("the lag is what the agent said last: by a flush or by a heartbeat", () => {
  book.handlers.began({ session, nowMs: 0 });
  book.handlers.applied({ session, flush: { seq: 1, collectedMsAgo: 3_200, kinds: [] }, nowMs: 1 });
  expect(book.get("a")?.lagMs).toBe(3_200);
  book.handlers.heartbeat({ session, heartbeat: { ...heartbeat, oldestWaitingMs: 900 }, nowMs: 2 });
  expect(book.get("a")?.lagMs).toBe(900);
});

describe("how a cluster caught up", () => {
  const caughtUp = (cluster = "a"): string => {
    const { caughtUpBy, relistedKindCount } = book.outageOf(cluster).caughtUp;
    return relistedKindCount === 0 ? caughtUpBy : `${caughtUpBy} ${relistedKindCount}`;
  };

  test("the same process of an agent resumed, another relisted", () => {
    book.handlers.began({ session, nowMs: 0 });
    turn("live", "disconnected");
    expect(caughtUp()).toBe("resumed");
    book.handlers.began({ session: { ...session, epoch: 2, incarnation: "two" }, nowMs: 1 });
    expect(caughtUp()).toBe("relisted");
    turn("live", "stale");
    turn("stale", "disconnected");
    expect(caughtUp()).toBe("resumed");
  });

  test("is not said where the API server was lost and the agent says nothing of lists", () => {
    book.handlers.began({ session, nowMs: 0 });
    book.handlers.kindStatuses({ session, kinds: [kind("pods", undefined)], nowMs: 0 });
    turn("live", "stale");
    book.handlers.heartbeat({ session, heartbeat: { ...heartbeat, apiServerFault: "tcp" }, nowMs: 1 });
    book.handlers.heartbeat({ session, heartbeat, nowMs: 2 });
    expect(caughtUp()).toBe("");
  });

  test("[SE47] where only the API server was lost, watches resumed or so many kinds were listed since, each counted once", () => {
    book.handlers.began({ session, nowMs: 0 });
    book.handlers.kindStatuses({ session, kinds: [kind("pods", 500), kind("services", 0)], nowMs: 1_000 });
    nowMs = 60_000;
    book.handlers.heartbeat({ session, heartbeat: { ...heartbeat, apiServerFault: "tcp" }, nowMs });
    turn("live", "disconnected");
    expect(caughtUp()).toBe("resumed");
    book.handlers.kindStatuses({ session, kinds: [kind("pods", 69_500), kind("services", 69_000)], nowMs: 70_000 });
    expect(caughtUp()).toBe("resumed");
    book.handlers.kindStatuses({ session: { ...session, shard: "delivery" }, kinds: [kind("pods", 0)], nowMs: 70_000 });
    expect(caughtUp()).toBe("resumed");
    const first = book.outageOf("a");
    book.handlers.kindStatuses({ session, kinds: [kind("pods", 0)], nowMs: 71_000 });
    book.handlers.kindStatuses({ session, kinds: [kind("pods", 0), kind("services", 10_999)], nowMs: 71_000 });
    expect(caughtUp()).toBe("relisted 2");
    nowMs = 80_000;
    turn("live", "disconnected");
    expect(caughtUp()).toBe("resumed");
    expect(first.caughtUp).toEqual({ caughtUpBy: "relisted", relistedKindCount: 2 });
  });

  test("[SE47] a watch that no loss broke has nothing to say, and resumed", () => {
    book.handlers.began({ session, nowMs: 0 });
    book.handlers.kindStatuses({ session, kinds: [kind("pods", 500)], nowMs: 1_000 });
    nowMs = 60_000;
    turn("live", "disconnected");
    book.handlers.heartbeat({ session, heartbeat: { ...heartbeat, apiServerFault: "timeout" }, nowMs });
    expect(caughtUp()).toBe("resumed");
  });

  test("is known across a restart of the hub, and not of a cluster that was never seen", () => {
    const stored = { ...session, state: "lost", endedAtMs: 5 } as const;
    book.load([stored]);
    book.handlers.began({ session: { ...session, epoch: 2 }, nowMs: 1 });
    expect(caughtUp()).toBe("resumed");
    expect(caughtUp("b")).toBe("");
    book.forget("a");
    expect(caughtUp()).toBe("");
  });
});
