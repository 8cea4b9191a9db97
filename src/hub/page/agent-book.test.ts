// SPDX-License-Identifier: Apache-2.0
import { beforeEach, describe, expect, test } from "vitest";
import type { ConnectionState } from "../../health/health-state.ts";
import { parseClusterId } from "../../model/cluster-id.ts";
import type { HeartbeatFacts, SessionFacts } from "../fleet/fleet-observer.ts";
import { AgentBook } from "./agent-book.ts";

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

let book: AgentBook;
let changed: string[];

beforeEach(() => {
  changed = [];
  book = new AgentBook((cluster) => void changed.push(cluster));
});

function turn(from: ConnectionState, to: ConnectionState): void {
  book.transition({ cluster: parseClusterId("a"), from, to, reason: "agentLost", sentence: "", atMs: 0 });
}

test("the end of a session whose place was taken does not end the newer one", () => {
  book.observer.began(session, 0);
  book.observer.began({ ...session, epoch: 2, address: "10.0.0.9" }, 10);
  book.observer.ended(session, { kind: "lost", reason: "superseded", detail: "" }, 11);
  expect(book.get("a")).toMatchObject({ isLive: true, epoch: 2, address: "10.0.0.9", sinceMs: 10 });
  book.observer.ended({ ...session, epoch: 2 }, { kind: "left", reason: "" }, 20);
  expect(book.get("a")).toMatchObject({ isLive: false, sinceMs: 20, apiServer: undefined });
});

test("sessions of other shards say nothing", () => {
  book.observer.began({ ...session, shard: "delivery" }, 0);
  book.observer.heartbeat({ ...session, shard: "delivery" }, heartbeat, 0);
  expect(book.get("a")).toBeUndefined();
  expect(changed).toEqual([]);
});

test("the moment since when the API server answers does not move with the time that messages take", () => {
  book.observer.began(session, 0);
  for (const [nowMs, sinceMsAgo] of [
    [1_000, 500],
    [6_037, 5_500],
    [11_002, 10_490],
  ] as const) {
    book.observer.heartbeat(session, { ...heartbeat, apiServerSinceMsAgo: sinceMsAgo }, nowMs);
  }
  expect(book.get("a")?.apiServer).toEqual({ fault: "", error: "", sinceMs: 500 });
  book.observer.heartbeat(session, { ...heartbeat, apiServerSinceMsAgo: 1_000 }, 20_000);
  expect(book.get("a")?.apiServer?.sinceMs).toBe(19_000);
});

test("the lag is what the agent said last: by a flush or by a heartbeat", () => {
  book.observer.began(session, 0);
  book.observer.applied(session, { seq: 1, collectedMsAgo: 3_200, kinds: [] }, 1);
  expect(book.get("a")?.lagMs).toBe(3_200);
  book.observer.heartbeat(session, { ...heartbeat, oldestWaitingMs: 900 }, 2);
  expect(book.get("a")?.lagMs).toBe(900);
});

describe("how a cluster caught up", () => {
  test("the same process of an agent resumed, another relisted", () => {
    book.observer.began(session, 0);
    turn("live", "disconnected");
    expect(book.caughtUpBy("a")).toBe("resumed");
    book.observer.began({ ...session, epoch: 2, incarnation: "two" }, 1);
    expect(book.caughtUpBy("a")).toBe("relisted");
    turn("live", "stale");
    turn("stale", "disconnected");
    expect(book.caughtUpBy("a")).toBe("resumed");
  });

  test("is not said where the API server was lost: whether its watches could go on is not told", () => {
    book.observer.began(session, 0);
    turn("live", "stale");
    book.observer.heartbeat(session, { ...heartbeat, apiServerFault: "tcp" }, 1);
    book.observer.heartbeat(session, heartbeat, 2);
    expect(book.caughtUpBy("a")).toBe("");
  });

  test("is known across a restart of the hub, and not of a cluster that was never seen", () => {
    const stored = { ...session, state: "lost", endedAtMs: 5 } as const;
    book.load([stored]);
    book.observer.began({ ...session, epoch: 2 }, 1);
    expect(book.caughtUpBy("a")).toBe("resumed");
    expect(book.caughtUpBy("b")).toBe("");
    book.forget("a");
    expect(book.caughtUpBy("a")).toBe("");
  });
});
