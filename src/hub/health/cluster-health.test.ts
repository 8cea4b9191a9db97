// SPDX-License-Identifier: Apache-2.0
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { beat, began, equal, followed, lostBy, report, statuses } from "../../health/testing/health-kit.ts";
import { parseClusterId } from "../../model/cluster-id.ts";
import { PromMetrics } from "../../telemetry/prom-metrics.ts";
import type { ChangeBuffer } from "./change-buffer.ts";
import { toClusterDocument } from "./cluster-view.ts";
import { HealthRig } from "./testing/health-rig.ts";

const never = new AbortController().signal;
const a = parseClusterId("a");

describe("the monitor of all clusters", () => {
  let rig: HealthRig;

  beforeEach(() => {
    rig = new HealthRig();
  });

  afterEach(() => {
    rig.health.stop();
    expect(rig.clock.timerCount).toBe(0);
  });

  test("[L11, R-25, N-56] with nobody looking a frozen agent is noticed at its bound, by the monitor's own timer", async () => {
    rig.arrive("a");
    await rig.clock.advance(7_499);
    expect(rig.pathOf("a")).toEqual(["catchingUp", "live"]);
    await rig.clock.advance(1);
    expect(rig.pathOf("a")).toEqual(["catchingUp", "live", "stale"]);
    expect(rig.transitions.at(-1)).toMatchObject({ from: "live", reason: "heartbeatMissed" });
  });

  test("[lesson uds-R1] a change reaches every subscriber, not one of them, and none is needed", async () => {
    for (const subscriberCount of [0, 1, 2, 500]) {
      const one = new HealthRig();
      const buffers = Array.from({ length: subscriberCount }, () => one.health.subscribe());
      one.arrive("a");
      one.lose("a");
      const told = await Promise.all(buffers.map((buffer) => buffer.take(0, never)));
      for (const changes of told) {
        expect(changes.flatMap(({ transition }) => transition?.to ?? [])).toEqual([
          "catchingUp",
          "live",
          "disconnected",
        ]);
      }
      expect(one.pathOf("a")).toEqual(["catchingUp", "live", "disconnected"]);
      for (const buffer of buffers) buffer.close();
      expect(one.health.subscriberCount).toBe(0);
      one.health.stop();
    }
  });

  test("[lesson uds-R2] a subscriber that never reads holds up neither detection nor another, and its memory is bounded", async () => {
    const [asleep, awake] = [rig.health.subscribe({ boundCount: 8 }), rig.health.subscribe()];
    const heard: string[] = [];
    for (let round = 0; round < 100; round += 1) {
      for (const name of ["a", "b", "c"]) {
        rig.arrive(name);
        rig.lose(name);
      }
      heard.push(...(await awake.take(0, never)).flatMap(({ transition }) => transition?.to ?? []));
    }
    expect(heard.length).toBe(rig.transitions.length);
    expect(asleep.length).toBe(3);
    for (const buffer of [asleep, awake]) buffer.close();
  });

  test("[HE12, R-25] a slow subscriber gets the present state of each cluster, in order, and then every change again", async () => {
    const slow: ChangeBuffer = rig.health.subscribe({ boundCount: 4 });
    for (let round = 0; round < 10; round += 1) {
      rig.arrive("a");
      rig.lose("a");
    }
    rig.arrive("b");
    rig.arrive("a");
    const caughtUp = await slow.take(0, never);
    expect(caughtUp.map(({ cluster, view }) => `${cluster} ${view?.connection.state}`)).toEqual([
      "b live",
      "a catchingUp",
    ]);
    rig.lose("b");
    const [change] = await slow.take(0, never);
    expect(change?.transition).toMatchObject({ from: "live", to: "disconnected" });
    slow.close();
  });

  test("[HE12] transitions are told once each and in order, each from where the one before led", () => {
    for (let round = 0; round < 5; round += 1) {
      rig.arrive("a");
      rig.lose("a", "left");
    }
    let from = "neverSeen";
    for (const transition of rig.transitions) {
      expect(transition.from).toBe(from);
      from = transition.to;
    }
    expect(rig.transitions).toHaveLength(14);
  });

  test("[R-10] a heartbeat that comes after its bound is a stale time of its own, told once", async () => {
    rig.arrive("a");
    rig.health.stop();
    await rig.clock.advance(9_000);
    rig.feed("a", beat(1), beat(1));
    expect(rig.pathOf("a")).toEqual(["catchingUp", "live", "stale", "catchingUp"]);
  });

  test("[lesson uds-R6] a black-holed agent is noticed after one and a half heartbeats, not when TCP gives up", async () => {
    rig.arrive("a");
    await rig.beatFor(60_000, ["a"]);
    await rig.clock.advance(7_500);
    expect(rig.stateOf("a")).toBe("stale");
  });

  test("[U-53] [lesson uds-R7] a blip passes through catchingUp and asks for digests, never for everything anew", async () => {
    rig.arrive("a");
    rig.proofsWanted.length = 0;
    await rig.clock.advance(8_000);
    rig.feed("a", beat(1));
    expect(rig.proofsWanted).toEqual(["a 1"]);
    rig.feed("a", beat(1), equal(1));
    expect(rig.proofsWanted).toEqual(["a 1"]);
    expect(rig.pathOf("a")).toEqual(["catchingUp", "live", "stale", "catchingUp", "live"]);
  });

  test("a kind that is listed only later is proven too, by digests that are asked for once its list is there", () => {
    rig.arrive("a");
    rig.lose("a");
    rig.proofsWanted.length = 0;
    const listing = report("pods", { state: "listing", currentMsAgo: undefined });
    rig.feed("a", began(2), statuses(2), beat(2), statuses(2, [listing]));
    rig.proofsWanted.length = 0;
    rig.feed(
      "a",
      equal(
        2,
        followed.filter((kind) => kind !== "pods"),
      ),
    );
    expect(rig.proofsWanted).toEqual([]);
    rig.feed("a", statuses(2, [report("pods")]));
    expect(rig.proofsWanted).toEqual(["a 2"]);
    rig.feed("a", equal(2));
    expect(rig.stateOf("a")).toBe("live");
  });

  test("[N-56] the bound follows the interval that the session was told", async () => {
    rig.health.add(a);
    rig.feed("a", { kind: "sessionBegan", epoch: 1, heartbeatMs: 60_000 }, statuses(), beat(), equal());
    await rig.clock.advance(89_999);
    expect(rig.stateOf("a")).toBe("live");
    await rig.clock.advance(1);
    expect(rig.stateOf("a")).toBe("stale");
  });

  test("[R-2] [lesson uds-R7] through an outage the kinds keep their rows' ages, and none is said to be current", async () => {
    rig.arrive("a");
    await rig.beatFor(10_000, ["a"]);
    rig.lose("a");
    await rig.clock.advance(30_000);
    const kinds = rig.health.kinds(a);
    expect(kinds).toHaveLength(6);
    expect(kinds.every(({ isCurrent, ageMs }) => !isCurrent && ageMs === 30_000)).toBe(true);
  });

  test("[lesson uds-R8] an agent that is refused for good is shown as rejected with the reason, not as without connection", () => {
    rig.arrive("a");
    rig.lose("a");
    rig.feed("a", {
      kind: "attemptRejected",
      reason: "WRONG_CLUSTER",
      retryAfterMs: 300_000,
      detail: "the UID of kube-system is another one",
    });
    const view = rig.health.get(a);
    expect(view?.connection).toMatchObject({ state: "rejected", reason: "rejected", attemptCount: 1 });
    expect(view === undefined ? "" : toClusterDocument(view, rig.clock).sentence).toContain("UID of kube-system");
  });

  test("[R-16] [lesson uds-R10] a state comes with reason, since-when, last word, attempts and next attempt", async () => {
    rig.arrive("a", "eu");
    const apiServer = lostBy("tls", { attemptCount: 3, retryInMs: 4_000, error: "certificate has expired" });
    rig.feed("a", beat(1, { apiServer }));
    await rig.clock.advance(1_000);
    const view = rig.health.get(a);
    expect(view && toClusterDocument(view, rig.clock)).toEqual({
      cluster: "a",
      region: "eu",
      state: "disconnected",
      since: "2026-01-01T00:00:00.000Z",
      sinceMsAgo: 1_000,
      reason: "tls",
      sentence: expect.stringContaining("certificate has expired"),
      attemptCount: 3,
      nextAttemptInMs: 3_000,
      lastSeenMsAgo: 1_000,
      isPaused: false,
      pausedBy: null,
      pausedMsAgo: null,
      isFlapping: false,
      incident: 1,
    });
  });

  test("[R-1, L8] the loss of an API server is the same value for whoever asks and whoever is told", async () => {
    const buffer = rig.health.subscribe();
    rig.arrive("a");
    rig.feed("a", beat(1, { apiServer: lostBy("tcp") }));
    const told = (await buffer.take(0, never)).at(-1)?.view;
    expect(told).toEqual(rig.health.get(a));
    expect(told).toEqual(rig.health.list()[0]);
    expect(told?.connection).toMatchObject({ state: "disconnected", reason: "tcp" });
    buffer.close();
  });

  test("after a restart of the hub known clusters are disconnected for that reason, in one incident, until they return", async () => {
    for (const name of ["a", "b"]) rig.health.add(parseClusterId(name), { lastSeenMsAgo: 90_000 });
    rig.health.add(parseClusterId("c"));
    await rig.clock.advance(5_000);
    expect(rig.health.list().map(({ connection }) => connection.reason)).toEqual([
      "hubRestarted",
      "hubRestarted",
      "never",
    ]);
    expect(rig.health.incidents.open).toHaveLength(1);
    const view = rig.health.get(a);
    expect(view && toClusterDocument(view, rig.clock).lastSeenMsAgo).toBe(95_000);
    rig.arrive("a");
    rig.arrive("b");
    expect(rig.health.incidents.open).toEqual([]);
  });

  test("a removed cluster is told as removed, keeps no timer and leaves its incident", async () => {
    rig.arrive("a");
    rig.lose("a");
    const buffer = rig.health.subscribe();
    rig.health.remove(a);
    expect((await buffer.take(0, never)).map(({ view }) => view)).toEqual([undefined]);
    expect(rig.health.incidents.open).toEqual([]);
    expect(rig.health.list()).toEqual([]);
    rig.feed("a", beat(1));
    buffer.close();
  });

  test("a live cluster that is removed is not heard of again when its bound passes", async () => {
    rig.arrive("a");
    rig.health.remove(a);
    const { position } = rig.health;
    await rig.clock.advance(60_000);
    expect(rig.health.position).toBe(position);
    expect(rig.pathOf("a")).toEqual(["catchingUp", "live"]);
  });

  test("a heartbeat that changes nothing tells nobody anything", () => {
    rig.arrive("a");
    const { position } = rig.health;
    rig.feed("a", beat(1), beat(1), statuses(1));
    expect(rig.health.position).toBe(position);
  });

  test("a wall clock that is set back does not put history out of order", async () => {
    rig.arrive("a");
    const before = rig.transitions.at(-1)?.atMs ?? 0;
    rig.clock.wallMs = () => before - 3_600_000;
    rig.lose("a");
    expect(rig.transitions.at(-1)?.atMs).toBe(before);
  });
});

describe("metrics of health", () => {
  test("[R-33] one outage moves losses, attempts, duration, objects and bytes by what it cost", async () => {
    const metrics = new PromMetrics();
    const rig = new HealthRig({ metrics });
    rig.arrive("a");
    rig.health.noteReceived(a, { objectCount: 500, bytes: 9_000 });
    rig.lose("a");
    await rig.clock.advance(20_000);
    rig.feed("a", { kind: "attemptRejected", reason: "PROTOCOL", retryAfterMs: 1_000, detail: "" });
    rig.feed("a", { kind: "attemptRejected", reason: "OVERLOADED", retryAfterMs: 1_000, detail: "" });
    await rig.clock.advance(10_000);
    rig.feed("a", { kind: "sessionBegan", epoch: 2, heartbeatMs: 5_000 });
    rig.health.noteReceived(a, { objectCount: 7, bytes: 700 });
    rig.feed("a", statuses(2), beat(2), equal(2));
    rig.health.noteReceived(a, { objectCount: 500, bytes: 9_000 });
    const { body } = await metrics.render();
    expect(body.split("\n").filter((line) => line.includes('cluster="a"'))).toEqual([
      'flotilla_cluster_state{cluster="a",state="neverSeen"} 0',
      'flotilla_cluster_state{cluster="a",state="catchingUp"} 0',
      'flotilla_cluster_state{cluster="a",state="live"} 1',
      'flotilla_cluster_state{cluster="a",state="disconnected"} 0',
      'flotilla_cluster_state{cluster="a",state="rejected"} 0',
      'flotilla_cluster_flapping{cluster="a"} 0',
      'flotilla_cluster_paused{cluster="a"} 0',
      'flotilla_cluster_failing_kinds{cluster="a"} 0',
      'flotilla_cluster_losses_total{cluster="a"} 1',
      'flotilla_cluster_reconnect_attempts_total{cluster="a"} 3',
      'flotilla_cluster_reconnect_seconds_total{cluster="a"} 30',
      'flotilla_cluster_relisted_objects_total{cluster="a"} 7',
      'flotilla_cluster_relisted_bytes_total{cluster="a"} 700',
    ]);
    rig.health.stop();
  });

  test("a hub that starts counts no loss for clusters that are not back yet, and what it costs until they are", async () => {
    const metrics = new PromMetrics();
    const rig = new HealthRig({ metrics });
    rig.health.add(a, { lastSeenMsAgo: 5_000 });
    expect((await metrics.render()).body).toContain('flotilla_cluster_losses_total{cluster="a"} 0');
    await rig.clock.advance(10_000);
    rig.arrive("a");
    rig.lose("a");
    const { body } = await metrics.render();
    expect(body).toContain('flotilla_cluster_reconnect_attempts_total{cluster="a"} 1');
    expect(body).toContain('flotilla_cluster_losses_total{cluster="a"} 1');
    rig.health.stop();
  });

  test("a paused cluster is told apart, so that no alert is due", async () => {
    const metrics = new PromMetrics();
    const rig = new HealthRig({ metrics });
    const pause = { by: "alice", pausedMsAgo: 0 };
    rig.health.add(a, { pause });
    expect((await metrics.render()).body).toContain('flotilla_cluster_paused{cluster="a"} 1');
    rig.feed("a", { kind: "paused", pause: undefined });
    expect((await metrics.render()).body).toContain('flotilla_cluster_paused{cluster="a"} 0');
    rig.feed("a", { kind: "paused", pause });
    rig.health.remove(a);
    expect((await metrics.render()).body).toContain('flotilla_cluster_paused{cluster="a"} 0');
    rig.health.stop();
  });

  test("failing kinds are counted, and a removed cluster is in no state", async () => {
    const metrics = new PromMetrics();
    const rig = new HealthRig({ metrics });
    rig.arrive("a");
    rig.feed("a", statuses(1, [report("pods", { state: "failed", fault: "forbidden" })]));
    expect((await metrics.render()).body).toContain('flotilla_cluster_failing_kinds{cluster="a"} 1');
    rig.health.remove(a);
    const { body } = await metrics.render();
    expect(body).toContain('flotilla_cluster_failing_kinds{cluster="a"} 0');
    expect(body).not.toMatch(/flotilla_cluster_state\{[^}]*\} 1/);
    rig.health.stop();
  });
});
