// SPDX-License-Identifier: Apache-2.0
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { settle } from "../../base/testing/manual-clock.ts";
import { RejectReason } from "../../gen/flotilla/session/v1/session_pb.ts";
import { leaseMsOf, renewalMsOf } from "../../session/hub/claims.ts";
import { withKey, withoutKeys } from "../clusters/cluster-changes.ts";
import { keyNamed } from "../fleet/testing/model-agent.ts";
import { agentOf, namesOf, register } from "../fleet/testing/register.ts";
import { startFleet, type TestFleet } from "../fleet/testing/test-fleet.ts";
import { ClaimStore } from "./claim-store.ts";

const graceMs = 60_000;
const heartbeatMs = 5_000;

describe("claims", () => {
  let hub: TestFleet;

  beforeEach(async () => {
    hub = await startFleet();
    await register(hub.fleet, "east", "west");
  });

  afterEach(async () => {
    await hub.stop();
    expect(hub.clock.timerCount).toBe(0);
  });

  test("[N-34] [SE9] a rival of a live session is rejected with ACTIVE_SESSION, and the first one does not notice", async () => {
    const first = agentOf(hub.fleet, "east", { agentId: "first" });
    const rival = agentOf(hub.fleet, "east", { agentId: "rival" });
    await first.join();
    await first.flush([{ resource: "pods", rows: [first.row("pods", { name: "a" })] }]);
    expect((await first.next("ack")).seq).toBe(1n);
    expect(await rival.connect()).toBe("rejected");
    const rejected = await rival.next("rejected");
    expect(rejected).toMatchObject({ reason: RejectReason.ACTIVE_SESSION, retryAfterMs: 3 * heartbeatMs });
    expect(rejected.detail).toContain("first");
    await first.flush([{ resource: "pods", rows: [first.row("pods", { name: "b" })] }]);
    expect((await first.next("ack")).seq).toBe(2n);
    expect(namesOf(hub.fleet, "east", "pods")).toEqual(["a", "b"]);
    expect(hub.observer.endings).toEqual([]);
    expect(hub.observer.rejections).toMatchObject([{ cluster: "east", agentId: "rival", isProven: true }]);
  });

  test("[N-35] [N-47] [SE10] after an unclean end another agent waits out the grace period: refused at half of it, accepted right after", async () => {
    const first = agentOf(hub.fleet, "east", { agentId: "first" });
    const other = agentOf(hub.fleet, "east", { agentId: "other" });
    await first.join();
    first.end.close();
    await settle();
    expect(hub.fleet.sessions.list()).toEqual([]);
    expect(hub.observer.endings).toMatchObject([{ ending: { kind: "lost", reason: "streamBroken" } }]);
    await hub.clock.advance(graceMs / 2);
    expect(await other.connect()).toBe("rejected");
    expect(await other.next("rejected")).toMatchObject({
      reason: RejectReason.GRACE_PERIOD,
      retryAfterMs: graceMs / 2,
    });
    await hub.clock.advance(graceMs / 2);
    expect(await other.connect()).toBe("welcome");
  });

  test("[N-44] the same agent reclaims at once, on its first attempt after a cut of one second", async () => {
    const agent = agentOf(hub.fleet, "east");
    const first = await agent.join();
    agent.end.close();
    await hub.clock.advance(1_000);
    const second = await agent.join();
    expect(second.epoch).toBeGreaterThan(first.epoch);
  });

  test("[SE10] a reclaim by the same agent ends its older session, which was not noticed to be gone", async () => {
    const agent = agentOf(hub.fleet, "east");
    await agent.join();
    const old = agent.end;
    await agent.join();
    await settle();
    expect(old.isClosed).toBe(true);
    expect(hub.fleet.sessions.list()).toHaveLength(1);
    expect(hub.observer.endings).toMatchObject([{ ending: { kind: "lost", reason: "superseded" } }]);
    expect(await hub.fleet.claims.list()).toMatchObject([{ state: "live", endedAtMs: undefined }]);
    await agent.flush([{ resource: "pods", rows: [agent.row("pods", { name: "a" })] }]);
    expect((await agent.next("ack")).seq).toBe(1n);
  });

  test("[SE10] a goodbye frees the claim at once", async () => {
    const first = agentOf(hub.fleet, "east", { agentId: "first" });
    await first.join();
    first.goodbye();
    await settle();
    expect(hub.observer.endings).toMatchObject([{ ending: { kind: "left", reason: "done" } }]);
    expect(await agentOf(hub.fleet, "east", { agentId: "other" }).connect()).toBe("welcome");
  });

  test("[N-46] [Q-29] [lesson navigator-7.1.10] a half-open stream holds its claim no longer than the heartbeat deadline and the grace period", async () => {
    const first = agentOf(hub.fleet, "east", { agentId: "first" });
    await first.join();
    first.end.isDeaf = true;
    await hub.clock.advance(2 * heartbeatMs - 1);
    expect(hub.fleet.sessions.list()).toHaveLength(1);
    await hub.clock.advance(1);
    expect(hub.fleet.sessions.list()).toEqual([]);
    expect(hub.observer.endings).toMatchObject([{ ending: { kind: "lost", reason: "heartbeatMissed" } }]);
    await hub.clock.advance(graceMs);
    expect(await agentOf(hub.fleet, "east", { agentId: "other" }).connect()).toBe("welcome");
  });

  test("[N-56] [SE29] heartbeats are answered at once and keep a session alive; the interval is told in Welcome", async () => {
    const agent = agentOf(hub.fleet, "east");
    expect((await agent.join()).heartbeatMs).toBe(heartbeatMs);
    for (let round = 0; round < 6; round += 1) {
      await hub.clock.advance(heartbeatMs);
      const number = agent.beat({ apiServerFault: "tcp", waitingRowCount: 3n });
      expect((await agent.next("heartbeatAnswer")).number).toBe(number);
    }
    expect(hub.fleet.sessions.list()).toHaveLength(1);
    expect(hub.observer.heartbeats.at(-1)).toMatchObject({ apiServerFault: "tcp", waitingRowCount: 3 });
  });

  test("[N-48] [SE11] an old agent that wakes up after a takeover writes nothing", async () => {
    const old = agentOf(hub.fleet, "east", { agentId: "old" });
    const oldWelcome = await old.join();
    old.end.isDeaf = true;
    await hub.clock.advance(2 * heartbeatMs + graceMs);
    const next = agentOf(hub.fleet, "east", { agentId: "next" });
    const nextWelcome = await next.join();
    expect(nextWelcome.epoch).toBeGreaterThan(oldWelcome.epoch);
    old.end.isDeaf = false;
    await old.flush([{ resource: "pods", rows: [old.row("pods", { name: "ghost" })] }]);
    await settle();
    expect(namesOf(hub.fleet, "east", "pods")).toEqual([]);
    const late = { cluster: "east", shard: "", epoch: Number(oldWelcome.epoch), incarnation: old.incarnation, seq: 1 };
    expect(await hub.fleetLog.append({ ...late, parts: [] })).toMatchObject({ kind: "fenced" });
  });

  test("[N-45] live and lost sessions are listed with agent, address, since when and last message", async () => {
    const [east, west] = [agentOf(hub.fleet, "east"), agentOf(hub.fleet, "west")];
    await east.join("10.1.1.1");
    await west.join("10.2.2.2");
    await hub.clock.advance(1_000);
    west.end.close();
    await settle();
    expect(hub.fleet.sessions.list()).toMatchObject([
      { cluster: "east", agentId: "agent-of-east", address: "10.1.1.1", agentVersion: "1.2.3", heardMsAgo: 1_000 },
    ]);
    const stored = await hub.fleet.claims.list();
    expect(stored).toMatchObject([
      { cluster: "east", state: "live", endedAtMs: undefined },
      { cluster: "west", state: "lost", address: "10.2.2.2" },
    ]);
    expect((stored[1]?.endedAtMs ?? 0) - (stored[1]?.connectedAtMs ?? 0)).toBe(1_000);
  });

  test("[SE1] two shards of one cluster are both live, and only the default one sends rows", async () => {
    const collector = agentOf(hub.fleet, "east", { agentId: "collector" });
    const deliverer = agentOf(hub.fleet, "east", { agentId: "deliverer", shard: "blue" });
    await collector.join();
    await deliverer.join();
    expect(hub.fleet.sessions.list().map(({ shard }) => shard)).toEqual(["", "blue"]);
    await deliverer.flush([{ resource: "pods", rows: [deliverer.row("pods", { name: "a" })] }]);
    expect((await deliverer.next("rejected")).detail).toContain("only the default shard may send observed state");
    await settle();
    expect(hub.fleet.sessions.list().map(({ shard }) => shard)).toEqual([""]);
    expect(namesOf(hub.fleet, "east", "pods")).toEqual([]);
  });

  test("[RP47] a cluster has sixteen sessions at a time, whatever shards its agents name; its collector comes back among them", async () => {
    const shards = ["", ...Array.from({ length: 15 }, (_, at) => `shard-${at}`)];
    const agents = shards.map((shard) => agentOf(hub.fleet, "east", { agentId: "place", shard }));
    for (const agent of agents) await agent.join();
    const crowded = agentOf(hub.fleet, "east", { agentId: "place", shard: "one-more" });
    expect(await crowded.connect()).toBe("rejected");
    expect(await crowded.next("rejected")).toMatchObject({ reason: RejectReason.OVERLOADED, retryAfterMs: 60_000 });
    expect(await agents[0]?.connect()).toBe("welcome");
    expect(await agentOf(hub.fleet, "west", { shard: "blue" }).connect()).toBe("welcome");
  });

  test("of a cluster that is removed no session is remembered, also not of one that lived", async () => {
    const agent = agentOf(hub.fleet, "east", { agentId: "first" });
    await agent.join();
    expect(await hub.fleet.removeCluster("east")).toBe(true);
    await settle();
    expect(hub.fleet.sessions.list()).toEqual([]);
    expect(await hub.fleet.claims.list()).toEqual([]);
    await register(hub.fleet, "east");
    expect(await agentOf(hub.fleet, "east", { agentId: "other" }).connect()).toBe("welcome");
  });

  test("[SE9] a claim whose session lives is renewed, also while the agent sends rows and no heartbeat", async () => {
    const agent = agentOf(hub.fleet, "east");
    await agent.join();
    for (let round = 0; round < 10; round += 1) {
      await hub.clock.advance(heartbeatMs);
      agent.statuses(["pods"], false);
      await settle();
    }
    expect(await agentOf(hub.fleet, "east", { agentId: "rival" }).connect()).toBe("rejected");
  });

  test("[SE9] [SE41] the claim of a session that lives is written every fourth heartbeat, and never runs out", async () => {
    const agent = agentOf(hub.fleet, "east");
    await agent.join();
    let leftMs = leaseMsOf(heartbeatMs);
    let writeCount = 0;
    const other = new ClaimStore({ store: hub.store, clock: hub.clock, heartbeatMs, graceMs, hubId: "two" });
    for (let round = 0; round < 40; round += 1) {
      await hub.clock.advance(heartbeatMs);
      agent.beat();
      await settle();
      const lease = await other.acquire("east", "", { agentId: "rival", incarnation: "r" });
      if (lease.kind !== "taken") throw new Error("the claim ran out");
      expect(lease.expiresInMs).toBeGreaterThan(2 * heartbeatMs);
      if (lease.expiresInMs > leftMs) writeCount += 1;
      leftMs = lease.expiresInMs;
    }
    expect(writeCount).toBe(10);
  });

  test("[SE8] the agent with a rotated key is not refused with ACTIVE_SESSION while the old one runs: it hands over", async () => {
    const old = agentOf(hub.fleet, "east");
    await old.join();
    await hub.fleet.clusters.update("east", (record) => withKey(record, keyNamed("east-next")));
    const rotated = agentOf(hub.fleet, "east", { agentId: "elsewhere", publicKey: keyNamed("east-next") });
    expect(await rotated.connect()).toBe("welcome");
    await settle();
    expect(old.end.isClosed).toBe(true);
    expect(hub.fleet.sessions.list().map(({ agentId }) => agentId)).toEqual(["elsewhere"]);
    expect(await old.connect()).toBe("rejected");
    expect(await old.next("rejected")).toMatchObject({ reason: RejectReason.UNAUTHORIZED });
  });

  test("[SE8] revoking the key cuts a live session, and its agent is told why", async () => {
    const agent = agentOf(hub.fleet, "east");
    await agent.join();
    await hub.fleet.clusters.update("east", withoutKeys);
    expect(await agent.next("rejected")).toMatchObject({ reason: RejectReason.UNAUTHORIZED });
    await settle();
    expect(hub.fleet.sessions.list()).toEqual([]);
    expect(await agent.connect()).toBe("rejected");
    expect(await agent.next("rejected")).toMatchObject({ reason: RejectReason.UNAUTHORIZED, retryAfterMs: 300_000 });
  });

  test("[SE31] [lesson navigator-7.1.9] a hub that closes tells its agents, and cuts who does not leave in time", async () => {
    const [polite, deaf] = [agentOf(hub.fleet, "east"), agentOf(hub.fleet, "west")];
    await polite.join();
    await deaf.join();
    hub.abort();
    expect((await polite.next("drain")).retryAfterMs).toBeGreaterThan(0);
    polite.goodbye();
    await settle();
    await hub.stop();
    expect(hub.observer.endings.map(({ session, ending }) => [session.cluster, ending.kind])).toEqual([
      ["east", "left"],
      ["west", "lost"],
    ]);
    expect(deaf.end.isClosed).toBe(true);
  });

  test("[SE10] an agent begun anew at its place is back at once after a loss, and still has to wait for a session that lives", async () => {
    const first = agentOf(hub.fleet, "east", { agentId: "place", incarnation: "one" });
    const copy = agentOf(hub.fleet, "east", { agentId: "place", incarnation: "two" });
    const before = await first.join();
    expect(await copy.connect()).toBe("rejected");
    expect(await copy.next("rejected")).toMatchObject({
      reason: RejectReason.ACTIVE_SESSION,
      retryAfterMs: heartbeatMs,
    });
    expect(hub.observer.endings).toEqual([]);
    first.end.close();
    await settle();
    expect((await copy.join()).epoch).toBeGreaterThan(before.epoch);
    expect(await first.connect()).toBe("rejected");
    expect(await first.next("rejected")).toMatchObject({ reason: RejectReason.ACTIVE_SESSION });
  });

  test("[SE42] processes that follow each other too fast are told to wait, and the claim stays free for who waits", async () => {
    const begin = (at: number) => agentOf(hub.fleet, "east", { agentId: "place", incarnation: `inc-${at}` });
    for (let at = 0; at < 11; at += 1) {
      const agent = begin(at);
      await agent.join();
      if (at % 2 === 0) agent.goodbye();
      else agent.end.close();
      await settle();
    }
    const late = begin(11);
    expect(await late.connect()).toBe("rejected");
    const { reason, retryAfterMs, detail } = await late.next("rejected");
    expect([reason, retryAfterMs]).toEqual([RejectReason.GRACE_PERIOD, 60_000]);
    expect(detail).toContain("too often");
    const last = begin(10);
    await last.join();
    last.goodbye();
    await hub.clock.advance(60_000);
    expect(await late.connect()).toBe("welcome");
  });

  test("[SE41] a hub that starts beside another leaves that one's sessions alone, until their claims run out", async () => {
    const agent = agentOf(hub.fleet, "east", { agentId: "first" });
    await agent.join();
    const second = await startFleet({ disk: hub.disk, name: "second", hubId: "two" });
    expect(await second.fleet.claims.list()).toMatchObject([{ state: "live", endedAtMs: undefined }]);
    expect(await agentOf(second.fleet, "east", { agentId: "other" }).connect()).toBe("rejected");
    expect(hub.fleet.sessions.list()).toHaveLength(1);
    await second.stop();
  });

  test("[SE41] a session whose hub died is lost when a hub finds that its claim has run out, and others wait from then on", async () => {
    const dead = new ClaimStore({ store: hub.store, clock: hub.clock, heartbeatMs, graceMs, hubId: "dead" });
    const agent = { agentId: "first", incarnation: "one", agentVersion: "", address: "" };
    const held = await dead.acquire("west", "", agent);
    const leaseEpoch = held.kind === "held" ? held.leaseEpoch : 0n;
    await dead.begin({ ...agent, cluster: "west", shard: "", epoch: 1, connectedAtMs: 0, heartbeatMs }, leaseEpoch);
    await hub.fleet.claims.recover();
    expect(await hub.fleet.claims.load("west", "")).toMatchObject({ state: "live" });
    await hub.clock.advance(leaseMsOf(heartbeatMs));
    const other = agentOf(hub.fleet, "west", { agentId: "other" });
    expect(await other.connect()).toBe("rejected");
    expect(await other.next("rejected")).toMatchObject({ reason: RejectReason.GRACE_PERIOD, retryAfterMs: graceMs });
    expect(await hub.fleet.claims.load("west", "")).toMatchObject({ state: "lost", agentId: "first" });
    await hub.clock.advance(graceMs);
    expect(await other.connect()).toBe("welcome");
  });

  test("[SE41] a hub that starts slowly does not put an older session in the place of one that came and left meanwhile", async () => {
    const dead = new ClaimStore({ store: hub.store, clock: hub.clock, heartbeatMs, graceMs, hubId: "dead" });
    const process = { agentId: "first", incarnation: "one", agentVersion: "", address: "" };
    const held = await dead.acquire("west", "", process);
    const old = { ...process, cluster: "west", shard: "", epoch: 1, connectedAtMs: 0, heartbeatMs };
    await dead.begin(old, held.kind === "held" ? held.leaseEpoch : 0n);
    const [read] = await dead.list();
    await hub.clock.advance(leaseMsOf(heartbeatMs));
    const agent = agentOf(hub.fleet, "west", { agentId: "first", incarnation: "two" });
    await hub.fleetLog.raiseEpoch("west", "", 1);
    await agent.join();
    agent.goodbye();
    await settle();
    expect(await hub.fleet.claims.load("west", "")).toMatchObject({ state: "left", epoch: 2 });
    expect(read === undefined || (await dead.lose(read))).toBe(false);
    expect(await hub.fleet.claims.load("west", "")).toMatchObject({ state: "left", epoch: 2 });
    expect(await agentOf(hub.fleet, "west", { agentId: "other" }).connect()).toBe("welcome");
  });

  test("[SE10] an agent whose hub is gone is taken by another hub at once, and the first lets go of it", async () => {
    const second = await startFleet({ disk: hub.disk, name: "second", hubId: "two" });
    const agent = agentOf(hub.fleet, "east", { agentId: "first" });
    await agent.join();
    const old = agent.end;
    const moved = agentOf(second.fleet, "east", { agentId: "first" });
    expect(await moved.connect()).toBe("welcome");
    for (let passedMs = 0; passedMs < renewalMsOf(heartbeatMs); passedMs += heartbeatMs) {
      expect(hub.fleet.sessions.list()).toHaveLength(1);
      await hub.clock.advance(heartbeatMs);
      void old.send(new Uint8Array());
      moved.beat();
      await settle();
    }
    expect(hub.fleet.sessions.list()).toEqual([]);
    expect(await hub.fleet.claims.load("east", "")).toMatchObject({ state: "live", epoch: 2 });
    await second.stop();
  });

  test("[SE10] claims of sessions that lived when the hub died are held for the grace period after its start", async () => {
    const agent = agentOf(hub.fleet, "east", { agentId: "first" });
    await agent.join();
    const second = await startFleet({ disk: hub.disk, name: "second" });
    const other = agentOf(second.fleet, "east", { agentId: "other" });
    expect(await other.connect()).toBe("rejected");
    expect(await other.next("rejected")).toMatchObject({ reason: RejectReason.GRACE_PERIOD });
    expect(await agentOf(second.fleet, "east", { agentId: "first" }).connect()).toBe("welcome");
    await second.stop();
  });
});
