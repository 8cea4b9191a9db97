// SPDX-License-Identifier: Apache-2.0
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { settle } from "../../base/testing/manual-clock.ts";
import { RejectReason } from "../../gen/flotilla/session/v1/session_pb.ts";
import { acceptReplacement, setPaused } from "../clusters/testing/administer.ts";
import { keyNamed } from "../fleet/testing/model-agent.ts";
import { agentOf, namesOf, register } from "../fleet/testing/register.ts";
import { startFleet, type TestFleet } from "../fleet/testing/test-fleet.ts";

describe("greeting", () => {
  let hub: TestFleet;

  beforeEach(async () => {
    hub = await startFleet();
    await register(hub.fleet, "east", "west");
  });

  afterEach(async () => {
    await hub.stop();
    expect(hub.clock.timerCount).toBe(0);
  });

  test("[N-30] [SE2] state before Hello, or before Welcome, ends the stream with PROTOCOL and changes nothing", async () => {
    const early = agentOf(hub.fleet, "east");
    early.dial();
    await early.flush([{ resource: "pods", rows: [early.row("pods", { name: "a" })] }]);
    expect(await early.next("rejected")).toMatchObject({ reason: RejectReason.PROTOCOL });
    const eager = agentOf(hub.fleet, "east");
    eager.dial();
    eager.hello();
    await eager.next("challenge");
    await eager.flush([{ resource: "pods", rows: [eager.row("pods", { name: "a" })] }]);
    expect(await eager.next("rejected")).toMatchObject({ reason: RejectReason.PROTOCOL });
    await settle();
    expect([early.end.isClosed, eager.end.isClosed]).toEqual([true, true]);
    expect(namesOf(hub.fleet, "east", "pods")).toEqual([]);
    expect(hub.fleet.sessions.list()).toEqual([]);
    expect(hub.metrics.get("flotilla_session_refusals_total", "", "outOfOrder")).toBe(2);
  });

  test("[SE2] a stream that says nothing is closed after ten seconds, and so is one that does not prove itself", async () => {
    const [silent, unproven] = [agentOf(hub.fleet, "east"), agentOf(hub.fleet, "west")];
    silent.dial();
    unproven.dial();
    unproven.hello();
    await unproven.next("challenge");
    await hub.clock.advance(9_999);
    expect([silent.end.isClosed, unproven.end.isClosed]).toEqual([false, false]);
    await hub.clock.advance(1);
    expect([silent.end.isClosed, unproven.end.isClosed]).toEqual([true, true]);
  });

  test("[N-26] [Q-28] [L15] [SE7] [lesson navigator-7.3.2] an agent with the key of one cluster cannot feed another", async () => {
    const west = agentOf(hub.fleet, "west");
    await west.join();
    await west.flush([{ resource: "pods", rows: [west.row("pods", { name: "mine" })] }]);
    await west.next("ack");
    const forger = agentOf(hub.fleet, "west", { agentId: "forger", publicKey: keyNamed("east") });
    expect(await forger.connect()).toBe("rejected");
    expect(await forger.next("rejected")).toMatchObject({ reason: RejectReason.WRONG_CLUSTER, retryAfterMs: 300_000 });
    await forger.flush([{ resource: "pods", rows: [forger.row("pods", { name: "not mine" })] }]);
    await settle();
    expect(namesOf(hub.fleet, "west", "pods")).toEqual(["mine"]);
    expect(hub.fleet.sessions.list().map(({ agentId }) => agentId)).toEqual(["agent-of-west"]);
    expect(hub.observer.rejections).toMatchObject([{ cluster: "west", reason: "WRONG_CLUSTER", isProven: false }]);
  });

  test("[SE7] an unknown key is UNAUTHORIZED, and so is a cluster that nobody registered", async () => {
    const stranger = agentOf(hub.fleet, "east", { publicKey: keyNamed("nobody") });
    await stranger.connect();
    expect(await stranger.next("rejected")).toMatchObject({ reason: RejectReason.UNAUTHORIZED });
    await hub.clock.advance(2_000);
    const unregistered = agentOf(hub.fleet, "north");
    await unregistered.connect();
    expect(await unregistered.next("rejected")).toMatchObject({ reason: RejectReason.UNAUTHORIZED });
  });

  test("[SE7] a right key in a cluster of another uid is WRONG_CLUSTER until an administrator accepts the replacement", async () => {
    const copy = agentOf(hub.fleet, "east", { clusterUid: "uid-of-a-copy" });
    await copy.connect();
    const rejected = await copy.next("rejected");
    expect(rejected).toMatchObject({ reason: RejectReason.WRONG_CLUSTER });
    expect(rejected.detail).toContain("uid-of-a-copy");
    await acceptReplacement(hub.fleet, "east", "uid-of-a-copy");
    expect(await copy.connect()).toBe("welcome");
  });

  test("[SE12] a rejected agent whose uid is accepted is let in at once, not after 15 s", async () => {
    const copy = agentOf(hub.fleet, "east", { clusterUid: "uid-of-a-copy" });
    await copy.connect();
    expect(await copy.next("rejected")).toMatchObject({ isHeld: true, retryAfterMs: 15_000 });
    await settle();
    expect(copy.end.isClosed).toBe(false);
    await acceptReplacement(hub.fleet, "east", "uid-of-a-copy");
    await settle();
    expect(copy.end.isClosed).toBe(true);
    expect(await copy.connect()).toBe("welcome");
  });

  test("[SE12] a held stream is closed when its retry time is over", async () => {
    const copy = agentOf(hub.fleet, "east", { clusterUid: "uid-of-a-copy" });
    await copy.connect();
    await copy.next("rejected");
    await hub.clock.advance(14_999);
    expect(copy.end.isClosed).toBe(false);
    await hub.clock.advance(1);
    expect(copy.end.isClosed).toBe(true);
  });

  test("[SE12] a live cluster whose uid was replaced by mistake comes back within seconds of the correction, with the right reason meanwhile", async () => {
    const east = agentOf(hub.fleet, "east");
    await east.join();
    await acceptReplacement(hub.fleet, "east", "uid-of-a-typing-error");
    expect(await east.next("rejected")).toMatchObject({ reason: RejectReason.WRONG_CLUSTER, retryAfterMs: 1_000 });
    expect(await east.connect()).toBe("rejected");
    const held = await east.next("rejected");
    expect(held).toMatchObject({ reason: RejectReason.WRONG_CLUSTER, isHeld: true });
    expect(held.detail).toContain("uid-of-a-typing-error");
    await acceptReplacement(hub.fleet, "east", "uid-east");
    await settle();
    expect(east.end.isClosed).toBe(true);
    expect(await east.connect()).toBe("welcome");
  });

  test("[SE6] a signature of an earlier nonce proves nothing", async () => {
    const agent = agentOf(hub.fleet, "east");
    agent.dial();
    agent.hello();
    const { nonce, hubName } = await agent.next("challenge");
    expect(hubName).toBe("hub-of-tests");
    agent.dial();
    agent.hello();
    expect((await agent.next("challenge")).nonce).not.toEqual(nonce);
    agent.prove(nonce);
    expect(await agent.next("rejected")).toMatchObject({ reason: RejectReason.UNAUTHORIZED });
  });

  test("[N-31] a cluster id that is not a DNS label is refused with the reason", async () => {
    const agent = agentOf(hub.fleet, "a:b");
    agent.dial();
    agent.hello();
    const rejected = await agent.next("rejected");
    expect(rejected.reason).toBe(RejectReason.PROTOCOL);
    expect(rejected.detail).toContain('":"');
    await register(hub.fleet, "staging-west");
    expect(await agentOf(hub.fleet, "staging-west").connect()).toBe("welcome");
    expect(hub.fleet.sessions.list()).toMatchObject([{ cluster: "staging-west" }]);
  });

  test("[SE3] an agent without a protocol in common is rejected with PROTOCOL; a newer one is told which to use", async () => {
    const ancient = agentOf(hub.fleet, "east", { protocol: 0 });
    await ancient.connect();
    expect(await ancient.next("rejected")).toMatchObject({ reason: RejectReason.PROTOCOL, retryAfterMs: 300_000 });
    expect(hub.observer.rejections).toMatchObject([{ reason: "PROTOCOL" }]);
    expect((await agentOf(hub.fleet, "east", { protocol: 9 }).join()).protocol).toBe(1);
  });

  test("[SE3] [lesson navigator-7.1.12] a message of an unknown type is counted and skipped, in any state", async () => {
    const agent = agentOf(hub.fleet, "east");
    // Field 200 of the envelope, a message that this build knows nothing of.
    const unknown = new Uint8Array([0xc2, 0x0c, 0x02, 0x08, 0x01]);
    agent.dial();
    agent.sendBytes(unknown);
    agent.hello();
    agent.prove((await agent.next("challenge")).nonce);
    await agent.next("welcome");
    agent.sendBytes(unknown);
    const number = agent.beat();
    expect((await agent.next("heartbeatAnswer")).number).toBe(number);
    expect(hub.metrics.get("flotilla_session_unknown_messages_total")).toBe(2);
  });

  test("[SE4] [lesson navigator-7.1.11] who is rejected is told the reason, and bytes that are no message are counted", async () => {
    const agent = agentOf(hub.fleet, "east");
    await agent.join();
    agent.sendBytes(new Uint8Array([0xff, 0xff, 0xff]));
    expect((await agent.next("rejected")).detail).toContain("does not decode");
    await settle();
    expect(agent.end.isClosed).toBe(true);
    expect(hub.metrics.get("flotilla_session_refusals_total", "east", "malformed")).toBe(1);
    expect(hub.observer.endings).toMatchObject([{ ending: { kind: "lost", reason: "refused" } }]);
  });

  test("[N-57] a message over the limit is refused; in chunks it is taken, up to the joined limit", async () => {
    const limits = { maxMessageBytes: 2_048, maxJoinedBytes: 100_000, maxCreditBytes: 200_000 };
    const small = await startFleet({
      settings: { limits: { ...limits, heartbeatMs: 5_000, greetingMs: 10_000 } },
      name: "small",
    });
    await register(small.fleet, "east");
    const agent = agentOf(small.fleet, "east");
    expect((await agent.join()).limits).toMatchObject({ maxMessageBytes: 2_048, maxJoinedBytes: 100_000n });
    const rows = Array.from({ length: 200 }, (_, at) => agent.row("pods", { name: `pod-${at}` }));
    await agent.flushInChunks([{ resource: "pods", rows }], 1_024);
    expect((await agent.next("ack")).seq).toBe(1n);
    expect(namesOf(small.fleet, "east", "pods")).toHaveLength(200);
    await agent.flush([
      { resource: "pods", rows: rows.map(({ name }) => agent.row("pods", { name, phase: "Failed" })) },
    ]);
    expect((await agent.next("rejected")).detail).toContain("2048");
    await agent.join();
    for (let part = 0; part < 60; part += 1)
      agent.send({ case: "chunk", value: { bytes: new Uint8Array(1_900), isLast: false } });
    expect((await agent.next("rejected")).detail).toContain("more than 100000 bytes");
    expect(small.metrics.get("flotilla_session_refusals_total", "east", "overLimit")).toBe(2);
    await small.stop();
  });

  test("[SE19] another message between two chunks is refused", async () => {
    const agent = agentOf(hub.fleet, "east");
    await agent.join();
    agent.send({ case: "chunk", value: { bytes: new Uint8Array(8), isLast: false } });
    agent.beat();
    expect((await agent.next("rejected")).detail).toContain("between two chunks");
  });

  test("[SE43] an agent is told at once that its cluster is paused and that it goes on, and its session lives through both", async () => {
    const agent = agentOf(hub.fleet, "east");
    expect((await agent.join()).config?.isPaused ?? false).toBe(false);
    await setPaused(hub.fleet, "east", true);
    expect((await agent.next("config")).isPaused).toBe(true);
    await hub.fleet.clusters.update("east", (record) => ({ ...record, labels: new Map([["tier", "gold"]]) }));
    agent.beat();
    await agent.next("heartbeatAnswer");
    await settle();
    expect(agent.count("config")).toBe(0);
    await setPaused(hub.fleet, "east", false);
    expect((await agent.next("config")).isPaused).toBe(false);
    expect(hub.observer.endings).toEqual([]);
    expect(agent.count("config")).toBe(0);
  });

  test("[SE43] the agent of a cluster that is paused is told with the Welcome, and of the end of it once", async () => {
    await setPaused(hub.fleet, "east", true);
    await settle();
    const agent = agentOf(hub.fleet, "east");
    expect((await agent.join()).config?.isPaused).toBe(true);
    await setPaused(hub.fleet, "east", false);
    expect((await agent.next("config")).isPaused).toBe(false);
    await settle();
    expect(agent.count("config")).toBe(0);
  });

  test("[SE45] [R-26] an agent is asked for a probe once a second at most, however many ask; one that is away is not", async () => {
    expect(hub.fleet.sessions.askForProbe("east")).toBe("notConnected");
    const agent = agentOf(hub.fleet, "east");
    await agent.join();
    const answers = Array.from({ length: 500 }, () => hub.fleet.sessions.askForProbe("east"));
    expect(answers.filter((answer) => answer === "asked")).toHaveLength(1);
    expect(new Set(answers.slice(1))).toEqual(new Set(["askedBefore"]));
    await agent.next("probeApiServer");
    await hub.clock.advance(999);
    expect(hub.fleet.sessions.askForProbe("east")).toBe("askedBefore");
    await settle();
    expect(agent.count("probeApiServer")).toBe(0);
    await hub.clock.advance(1);
    expect(hub.fleet.sessions.askForProbe("east")).toBe("asked");
    await agent.next("probeApiServer");
    agent.goodbye();
    await settle();
    expect(hub.fleet.sessions.askForProbe("east")).toBe("notConnected");
  });

  test("[SE45] [SE35] the asking is counted among the messages of the session, and only the shard that collects is asked", async () => {
    const agent = agentOf(hub.fleet, "east");
    const shard = agentOf(hub.fleet, "east", { shard: "blue", agentId: "blue" });
    await agent.join();
    await shard.join();
    hub.fleet.sessions.askForProbe("east");
    await agent.next("probeApiServer");
    agent.beat();
    expect((await agent.next("heartbeatAnswer")).messageCount).toBe(1n);
    expect(shard.count("probeApiServer")).toBe(0);
  });

  test("[N-32] metadata is refreshed at each connection, and written only when it changed", async () => {
    const before = agentOf(hub.fleet, "east", { metadata: { region: "eu", environment: "staging", version: "1" } });
    await before.join();
    expect(hub.fleet.clusters.get("east")?.metadata).toMatchObject({ environment: "staging", version: "1" });
    const { revision = 0n } = hub.fleet.clusters.get("east") ?? {};
    await before.join();
    expect(hub.fleet.clusters.get("east")?.revision).toBe(revision);
    before.goodbye();
    await settle();
    const after = agentOf(hub.fleet, "east", { metadata: { region: "eu", environment: "staging", version: "2" } });
    await after.join();
    expect(hub.fleet.clusters.list().filter(({ metadata }) => metadata.environment === "staging")).toMatchObject([
      { id: "east", metadata: { version: "2" } },
    ]);
  });

  test("an id that no store can hold is refused, and harms nobody", async () => {
    const agent = agentOf(hub.fleet, "east", { agentId: "a\u0000b" });
    agent.dial();
    agent.hello();
    expect((await agent.next("rejected")).detail).toContain("agent id");
    const large = agentOf(hub.fleet, "east", { agentId: "a".repeat(140_000) });
    large.dial();
    large.hello();
    expect((await large.next("rejected")).detail).toContain("65536");
    expect(await agentOf(hub.fleet, "east").connect()).toBe("welcome");
  });
});
