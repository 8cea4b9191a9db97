// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { RejectReason } from "../../gen/flotilla/session/v1/session_pb.ts";
import { sampleRow } from "../../session/agent/testing/sample-rows.ts";
import { isEqualIn, pods, withRig } from "./testing/with-rig.ts";

test(
  "[N-24] [L3] [SE15] what was not acknowledged is sent again, once, under the numbers that follow the durable one",
  withRig(async (rig) => {
    rig.start();
    await isEqualIn(rig, 5_000);
    rig.hub.settings.losesAcks = true;
    rig.table.getKind("pods")?.upsert(sampleRow({ name: "pod-1", note: "durable, not acknowledged" }));
    await isEqualIn(rig, 1_000);
    const durable = rig.hub.seq;
    rig.network.setReadDelay("hub", 400);
    rig.table.getKind("pods")?.upsert(sampleRow({ name: "pod-2", note: "lost on the way" }));
    await rig.world.run(50);
    for (const stream of rig.network.streams) stream.cut();
    rig.network.setReadDelay("hub", 0);
    rig.hub.settings.losesAcks = false;
    await isEqualIn(rig, 5_000);
    expect(rig.hub.seq).toBe(durable + 1);
    await rig.world.run(1_000);
    expect(rig.kinds().slice(-3)).toEqual(["kindStatuses", "flush", "digests"]);
  }),
);

test(
  "[N-36] [SE12] [lesson navigator-7.1.11] a rejected agent goes on, says the reason, comes after the time told, and takes over without a restart",
  withRig(async (rig) => {
    rig.hub.settings.rejection = {
      case: "rejected",
      value: { reason: RejectReason.ACTIVE_SESSION, retryAfterMs: 20_000, detail: "another agent holds c1" },
    };
    rig.start();
    await rig.world.runUntil("the rejection", () => rig.status === "waiting", 5_000);
    const told = rig.statuses.at(-1);
    expect(told).toMatchObject({ reason: "ACTIVE_SESSION", detail: "another agent holds c1" });
    expect(rig.lines.at(-1)?.fields).toMatchObject({ reason: "ACTIVE_SESSION" });
    const waitMs = (told?.nextAttemptAtMs ?? 0) - rig.world.clock.wallMs();
    expect(waitMs).toBeGreaterThan(19_000);
    expect(waitMs).toBeLessThanOrEqual(24_000);
    rig.hub.settings.rejection = undefined;
    await rig.world.run(waitMs + 2_000);
    expect([rig.dials.length, rig.status, rig.isEqual]).toEqual([2, "live", true]);
  }),
);

test(
  "[N-41] [L12] [lesson navigator-7.1.1] after a hub outage of 24 hours the agent connects within one cap of backoff",
  withRig(async (rig) => {
    rig.start({ reconnect: { firstMs: 500, factor: 2, capMs: 300_000, stableMs: 60_000 } });
    await isEqualIn(rig, 5_000);
    rig.closeHub();
    for (const stream of rig.network.streams) stream.cut();
    await rig.world.run(86_400_000);
    expect(rig.status).not.toBe("live");
    expect(rig.dials.length).toBeGreaterThan(288);
    rig.openHub();
    rig.table.getKind("pods")?.upsert(sampleRow({ name: "pod-1", note: "changed while the hub was away" }));
    await isEqualIn(rig, 301_000);
    // Navigator: both of its loops could reconnect at once.
    expect(rig.most.dialCount).toBe(1);
  }),
);

test(
  "[N-54] [U-52] [SE32] delays follow first, factor and cap, and are forgotten only after stable time",
  withRig(async (rig) => {
    rig.closeHub();
    rig.start({ reconnect: { firstMs: 10, factor: 10, capMs: 100_000, stableMs: 60_000 } });
    await rig.world.run(400_000);
    const delays = rig.lines.map(({ fields }) => Number(fields["delayMs"]));
    for (const [at, delayMs] of delays.entries())
      expect(delayMs).toBeLessThanOrEqual(Math.min(100_000, 10 ** (at + 1)));
    expect(Math.max(...delays)).toBeGreaterThan(1_000);
    rig.openHub();
    await rig.world.runUntil("live", () => rig.status === "live", 110_000);
    await rig.world.run(1_000);
    for (const stream of rig.network.streams) stream.cut();
    const delayMs = (): number => Number(rig.lines.findLast(({ fields }) => "delayMs" in fields)?.fields["delayMs"]);
    await rig.world.runUntil("live again", () => rig.status === "live", 110_000);
    // A session of a second has not made it forget: the delay is drawn below the cap, not below the first.
    expect(delayMs()).toBeGreaterThan(100);
    await rig.world.run(61_000);
    for (const stream of rig.network.streams) stream.cut();
    await rig.world.runUntil("live at once", () => rig.status === "live", 1_000);
    expect(delayMs()).toBeLessThanOrEqual(10);
  }),
);

test(
  "[N-44] [lesson navigator-7.1.3] a stream that ends in order is opened again, and resumes",
  withRig(async (rig) => {
    rig.start();
    await isEqualIn(rig, 5_000);
    for (const stream of rig.network.streams) stream.server.close();
    rig.table.getKind("pods")?.upsert(sampleRow({ name: "pod-1", note: "after the end" }));
    await isEqualIn(rig, 2_000);
    expect([rig.hub.sessionCount, rig.hub.epoch]).toEqual([2, 2]);
  }),
);

test(
  "[N-56] [SE29] two heartbeats without an answer end the session, although the socket stays open",
  withRig(async (rig) => {
    rig.start();
    await isEqualIn(rig, 5_000);
    rig.hub.settings.isFrozen = true;
    await rig.world.run(9_000);
    expect(rig.status).toBe("live");
    await rig.world.runUntil("the loss", () => rig.status !== "live", 6_500);
    expect(rig.statuses.findLast(({ state }) => state === "waiting")?.reason).toBe("DEADLINE_EXCEEDED");
    rig.hub.settings.isFrozen = false;
    await rig.world.runUntil("live again", () => rig.status === "live", 60_000);
  }),
);

test(
  "[SE31] a drained agent says goodbye and comes back after the time told",
  withRig(async (rig) => {
    rig.start();
    await isEqualIn(rig, 5_000);
    await rig.hub.say({ case: "drain", value: { retryAfterMs: 5_000 } });
    await rig.world.runUntil("the goodbye", () => rig.kinds().at(-1) === "goodbye", 2_000);
    const leftMs = rig.world.clock.nowMs();
    await rig.world.runUntil("live again", () => rig.hub.sessionCount === 2 && rig.status === "live", 10_000);
    expect((rig.dials.at(-1) ?? 0) - leftMs).toBeGreaterThan(4_000);
    expect((rig.dials.at(-1) ?? 0) - leftMs).toBeLessThanOrEqual(6_300);
  }),
);

test(
  "[SE27] a live session that the hub ends over its content comes back with a new incarnation, and proves itself by digests",
  withRig(async (rig) => {
    rig.start();
    await isEqualIn(rig, 5_000);
    const { incarnation } = rig.hub;
    rig.hub.rows.kind("pods").delete("default/pod-3");
    await rig.hub.say({
      case: "rejected",
      value: { reason: RejectReason.DIVERGED, retryAfterMs: 1_000, detail: "unequal" },
    });
    await isEqualIn(rig, 5_000);
    expect(rig.hub.incarnation).not.toBe(incarnation);
    expect(rig.hub.seq).toBe(1);
  }),
);

test(
  "a hub whose store went back, or forgot, is brought to equal rows",
  withRig(async (rig) => {
    rig.start();
    await isEqualIn(rig, 5_000);
    const restored = { rows: rig.hub.rows.copy(), seq: rig.hub.seq };
    for (const note of ["one", "two", "three"]) {
      rig.list("pods", pods(3, note));
      await isEqualIn(rig, 2_000);
    }
    Object.assign(rig.hub, restored);
    for (const stream of rig.network.streams) stream.cut();
    await isEqualIn(rig, 5_000);
    rig.hub.rows.kinds.clear();
    rig.hub.incarnation = "another";
    for (const stream of rig.network.streams) stream.cut();
    await isEqualIn(rig, 5_000);
    expect(rig.hub.sessionCount).toBe(3);
  }),
);

test(
  "[SE6] a challenge of another hub name is not answered",
  withRig(async (rig) => {
    rig.hub.settings.hubName = "somebody else";
    rig.start();
    await rig.world.run(60_000);
    expect(new Set(rig.kinds())).toEqual(new Set(["hello"]));
    expect(rig.statuses.findLast(({ state }) => state === "waiting")?.reason).toBe("PERMISSION_DENIED");
  }),
);
