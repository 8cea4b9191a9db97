// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { followed } from "../../health/testing/health-kit.ts";
import { parseClusterId } from "../../model/cluster-id.ts";
import type { HeartbeatFacts, KindFacts, SessionFacts } from "../sessions/session-events.ts";
import { createHealthHandlers } from "./health-handlers.ts";
import { HealthRig } from "./testing/health-rig.ts";

const quiet: HeartbeatFacts = {
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

function sessionOf(epoch: number, more: Partial<SessionFacts> = {}): SessionFacts {
  return {
    cluster: "a",
    shard: "",
    agentId: "agent",
    agentVersion: "1",
    incarnation: "i",
    address: "127.0.0.1",
    epoch,
    connectedAtMs: 0,
    heartbeatMs: 5_000,
    ...more,
  };
}

function watching(resource: string): KindFacts {
  const counts = { refusedCount: 0, leftOutCount: 0, overrunMs: 0 };
  const texts = { version: "v1", fault: "", verb: "", error: "", refusedError: "" };
  return {
    resource,
    state: "watching",
    sinceMsAgo: 0,
    currentMsAgo: 0,
    listedMsAgo: 0,
    isComplete: true,
    ...texts,
    ...counts,
  };
}

function arrive(observer: ReturnType<typeof createHealthHandlers>, session: SessionFacts): void {
  observer.began({ session, nowMs: 0 });
  observer.kindStatuses({ session, kinds: followed.map(watching), nowMs: 0 });
  observer.heartbeat({ session, heartbeat: quiet, nowMs: 0 });
  observer.compared({ session, comparison: { equal: followed, differing: [] }, nowMs: 0 });
}

describe("what sessions tell, as health inputs", () => {
  test("a session that begins, proves itself and is lost shows as such", () => {
    const rig = new HealthRig();
    const observer = createHealthHandlers(rig.health);
    const session = sessionOf(1);
    arrive(observer, session);
    expect(rig.stateOf("a")).toBe("live");
    observer.ended({ session, ending: { kind: "lost", reason: "streamBroken", detail: "reset" }, nowMs: 0 });
    expect(rig.pathOf("a")).toEqual(["catchingUp", "live", "disconnected"]);
    expect(rig.health.get(parseClusterId("a"))?.connection.reason).toBe("agentLost");
    rig.health.stop();
  });

  test("[SE57] [HE7] a session whose rows the hub refused shows the hub's sentence, and does not blame the network", () => {
    const rig = new HealthRig();
    const observer = createHealthHandlers(rig.health);
    const session = sessionOf(1);
    arrive(observer, session);
    const detail = "the cluster would have 4 rows, the most is 3";
    observer.ended({ session, ending: { kind: "lost", reason: "refused", detail }, nowMs: 0 });
    const connection = rig.health.get(parseClusterId("a"))?.connection;
    expect(connection).toMatchObject({ state: "disconnected", reason: "rejected", detail });
    rig.health.stop();
  });

  test("[HE10] the rejection of a rival changes nothing, and one of an unknown cluster adds none", () => {
    const rig = new HealthRig();
    const observer = createHealthHandlers(rig.health);
    arrive(observer, sessionOf(1));
    const attempt = {
      cluster: "a",
      shard: "",
      agentId: "x",
      address: "",
      retryAfterMs: 1,
      detail: "",
      isProven: false,
    };
    const { position } = rig.health;
    for (const reason of ["ACTIVE_SESSION", "UNAUTHORIZED", "WRONG_CLUSTER"] as const) {
      observer.rejected({ attempt: { ...attempt, reason }, nowMs: 0 });
      observer.rejected({ attempt: { ...attempt, reason, cluster: "unknown" }, nowMs: 0 });
    }
    expect(rig.health.position).toBe(position);
    expect(rig.health.list()).toHaveLength(1);
    rig.health.stop();
  });

  test("a session that gives way to a newer one of its agent is no loss, in whichever order that is told", () => {
    const rig = new HealthRig();
    const observer = createHealthHandlers(rig.health);
    arrive(observer, sessionOf(1));
    const superseded = { kind: "lost", reason: "superseded", detail: "" } as const;
    observer.ended({ session: sessionOf(1), ending: superseded, nowMs: 0 });
    arrive(observer, sessionOf(2));
    arrive(observer, sessionOf(3));
    observer.ended({ session: sessionOf(2), ending: superseded, nowMs: 0 });
    expect(rig.pathOf("a")).toEqual(["catchingUp", "live", "catchingUp", "live", "catchingUp", "live"]);
    rig.health.stop();
  });

  test("another shard says nothing of the picture, and changes that wait count only where there are some", async () => {
    const rig = new HealthRig();
    const observer = createHealthHandlers(rig.health);
    arrive(observer, sessionOf(1));
    const other = sessionOf(1, { shard: "delivery" });
    observer.began({ session: other, nowMs: 0 });
    observer.ended({ session: other, ending: { kind: "left", reason: "" }, nowMs: 0 });
    observer.heartbeat({ session: sessionOf(1), heartbeat: { ...quiet, oldestWaitingMs: 0 }, nowMs: 0 });
    expect(rig.stateOf("a")).toBe("live");
    observer.heartbeat({
      session: sessionOf(1),
      heartbeat: { ...quiet, waitingRowCount: 1, oldestWaitingMs: 99_000 },
      nowMs: 0,
    });
    expect(rig.stateOf("a")).toBe("stale");
    rig.health.stop();
  });

  test("[HE4] changes that were sent and are not durable count by their age, although none waits to be sent", async () => {
    const rig = new HealthRig();
    const observer = createHealthHandlers(rig.health);
    arrive(observer, sessionOf(1));
    observer.heartbeat({ session: sessionOf(1), heartbeat: { ...quiet, oldestWaitingMs: 99_000 }, nowMs: 0 });
    expect(rig.stateOf("a")).toBe("stale");
    rig.health.stop();
  });
});
