// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { DigestLevel } from "../../gen/flotilla/session/v1/session_pb.ts";
import { sampleRow } from "../../session/agent/testing/sample-rows.ts";
import { isEqualIn, pods, withRig } from "./testing/with-rig.ts";

test(
  "[N-30] [SE2] [N-22] [N-44] hello, proof, then state; changes follow as they happen, on one stream",
  withRig(async (rig) => {
    rig.start();
    await isEqualIn(rig, 5_000);
    expect(rig.kinds()).toEqual(["hello", "proof", "kindStatuses", "digests", "flush"]);
    for (let at = 0; at < 100; at += 1) {
      rig.table.getKind("pods")?.upsert(sampleRow({ name: "pod-1", note: `change ${at}` }));
      await isEqualIn(rig, 500);
    }
    expect(rig.hub.sessionCount).toBe(1);
  }),
);

test(
  "[N-23] a flush says how long before sending its oldest change was collected",
  withRig(async (rig) => {
    rig.start();
    await isEqualIn(rig, 5_000);
    rig.hub.settings.creditBytes = 0;
    await rig.hub.say({ case: "credit", value: { bytes: 0n } });
    await rig.world.run(1_000);
    rig.table.getKind("pods")?.upsert(sampleRow({ name: "pod-1", note: "waits" }));
    await rig.world.run(7_000);
    const heartbeat = rig.hub.received.findLast(({ kind }) => kind === "heartbeat")?.request.message;
    expect(heartbeat?.case === "heartbeat" && heartbeat.value.waitingRowCount).toBe(1n);
    rig.hub.settings.creditBytes = 40_000;
    await rig.hub.say({ case: "credit", value: { bytes: 40_000n } });
    await isEqualIn(rig, 1_000);
    const flush = rig.hub.received.findLast(({ kind }) => kind === "flush");
    expect(flush?.request.collectedMsAgo).toBeGreaterThanOrEqual(7_000);
    expect(flush?.request.collectedMsAgo).toBeLessThan(8_000);
  }),
);

test(
  "[N-7] [N-3] [SE27] scans begin with Welcome, not an interval later, and come every sync interval as one root digest each",
  withRig(async (rig) => {
    rig.start();
    await isEqualIn(rig, 5_000);
    const welcomeMs = rig.hub.received.find(({ kind }) => kind === "proof")?.atMs ?? 0;
    const first = rig.hub.received.find(({ kind }) => kind === "kindStatuses");
    expect((first?.atMs ?? Number.NaN) - welcomeMs).toBeLessThan(700);
    await rig.world.run(95_000);
    const digests = rig.hub.received.filter(({ kind }) => kind === "digests");
    const afterMs = digests.map(({ atMs }) => Math.round((atMs - (first?.atMs ?? 0)) / 1_000));
    // The digests of the kinds, then, once the rows that the hub asked for are sent, the proof that nothing differs any
    // more.
    expect(afterMs).toEqual([0, 0, 30, 60, 90]);
    expect(rig.kinds().filter((kind) => kind === "flush").length).toBe(1);
  }),
);

test(
  "[N-3] the time between scans is a setting, and the hub can set it",
  withRig(async (rig) => {
    rig.start({ session: { ...rig.options("agent").session, syncIntervalMs: 10_000 } });
    await isEqualIn(rig, 5_000);
    await rig.world.run(41_000);
    const count = (): number => rig.kinds().filter((kind) => kind === "digests").length;
    expect(count()).toBe(2 + 4);
    await rig.hub.say({ case: "config", value: { syncIntervalMs: 2_000 } });
    await rig.world.run(9_000);
    expect(count()).toBe(2 + 4 + 4);
  }),
);

test(
  "[L5] [L7] [SE25] [lesson navigator-7.2.1] an agent that restarts with nothing changed sends digests and no row",
  withRig(async (rig) => {
    const first = rig.start();
    await isEqualIn(rig, 5_000);
    first.stop();
    await rig.world.run(1_000);
    const flushCount = rig.kinds().filter((kind) => kind === "flush").length;
    rig.start({}, "agent again");
    await rig.world.run(65_000);
    expect(rig.kinds().filter((kind) => kind === "flush").length).toBe(flushCount);
    expect(rig.kinds().slice(-6)).toEqual(["hello", "proof", "kindStatuses", "digests", "digests", "digests"]);
    expect(rig.isEqual).toBe(true);
  }),
);

test(
  "[L7] [SE23] [SE26] a restart after changes sends the buckets that differ and nothing else",
  withRig(async (rig) => {
    rig.list("pods", pods(200));
    const first = rig.start();
    await isEqualIn(rig, 10_000);
    first.stop();
    await rig.world.run(1_000);
    const kind = rig.table.getKind("pods");
    kind?.delete({ namespace: "default", name: "pod-7" }, "");
    kind?.upsert(sampleRow({ name: "pod-8", note: "changed while away" }));
    rig.start({}, "agent again");
    await isEqualIn(rig, 10_000);
    const flush = rig.hub.received.findLast(({ kind: sent }) => sent === "flush")?.request.message;
    const parts = flush?.case === "flush" ? flush.value.parts : [];
    expect(parts.length).toBe(2);
    expect(parts.every((part) => part.replacedBucket >= 1_024 && part.replacedBucket < 2_048)).toBe(true);
  }),
);

test(
  "[N-57] [SE19] [SE16] [lesson navigator-7.2.4] a flush of grants over the message limit travels in chunks, whole",
  withRig(async (rig) => {
    const resource = "rbac.authorization.k8s.io/clusterroles";
    // Text that does not compress, or it would fit one message.
    const random = rig.world.random.fork("notes");
    const note = (): string => Buffer.from(random.bytes(1_500)).toString("base64");
    rig.list(
      resource,
      Array.from({ length: 40 }, (_, at) => sampleRow({ resource, namespace: "", name: `role-${at}`, note: note() })),
    );
    rig.hub.settings.creditBytes = 20_000;
    rig.start();
    await isEqualIn(rig, 20_000);
    const flushes = rig.hub.received.flatMap(({ request: { message } }) =>
      message.case === "flush" ? [message.value] : [],
    );
    const grants = flushes.filter((flush) => flush.parts.some((part) => part.resource === resource));
    expect(grants.length).toBe(1);
  }),
);

test(
  "[SE45] the hub's asking for a probe reaches whoever probes, and the session goes on",
  withRig(async (rig) => {
    const askedMs: number[] = [];
    const listeners = new Set<() => void>();
    rig.start({
      probeApiServer: () => {
        askedMs.push(rig.world.clock.nowMs());
        for (const listener of listeners) listener();
      },
      onApiServerVerdict: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    });
    await isEqualIn(rig, 5_000);
    await rig.world.run(1_000);
    await rig.hub.say({ case: "probeApiServer", value: {} });
    const beatCount = (): number => rig.hub.received.filter(({ kind }) => kind === "heartbeat").length;
    const before = beatCount();
    await rig.world.run(1_000);
    expect(askedMs).toHaveLength(1);
    expect(beatCount()).toBe(before + 1);
    await rig.world.run(20_000);
    expect([rig.hub.sessionCount, rig.status]).toEqual([1, "live"]);
  }),
);

test(
  "[SE46] [SE30] heartbeats say for how long the credential is good, as of sending, and nothing where no end is known",
  withRig(async (rig) => {
    const { clock } = rig.world;
    let term: { readonly endsAtMs: number; readonly lifetimeMs: number } | undefined;
    rig.start({ credentialTerm: () => term });
    const newest = (): bigint | undefined => {
      const message = rig.hub.received.findLast(({ kind }) => kind === "heartbeat")?.request.message;
      return message?.case === "heartbeat" ? message.value.credentialEndsInMs : undefined;
    };
    await isEqualIn(rig, 5_000);
    expect(newest()).toBeUndefined();
    term = { endsAtMs: clock.wallMs() + 12_000, lifetimeMs: 60_000 };
    await rig.world.run(6_000);
    expect(Number(newest())).toBeGreaterThan(6_000);
    expect(Number(newest())).toBeLessThanOrEqual(12_000);
    await rig.world.run(10_000);
    expect(Number(newest())).toBeLessThan(1_000);
    await rig.world.run(10_000);
    expect(Number(newest())).toBeLessThan(-5_000);
  }),
);

test(
  "[SE3] [lesson navigator-7.1.12] a message that the agent does not know is skipped",
  withRig(async (rig) => {
    rig.start();
    await isEqualIn(rig, 5_000);
    await rig.hub.say({ case: undefined });
    await rig.world.run(20_000);
    expect([rig.hub.sessionCount, rig.status]).toEqual([1, "live"]);
  }),
);

test(
  "[N-55] [L13] [SE14] [SE21] without credit 10,000 changes wait as one entry per object, and end in equal state",
  withRig(async (rig) => {
    rig.start();
    await isEqualIn(rig, 5_000);
    await rig.hub.say({ case: "credit", value: { bytes: 0n } });
    await rig.world.run(1_000);
    const flushCount = rig.kinds().filter((kind) => kind === "flush").length;
    const kind = rig.table.getKind("pods");
    for (let at = 0; at < 10_000; at += 1) kind?.upsert(sampleRow({ name: `pod-${at % 10}`, note: `change ${at}` }));
    await rig.world.run(6_000);
    const heartbeat = rig.hub.received.findLast(({ kind: sent }) => sent === "heartbeat")?.request.message;
    expect(heartbeat?.case === "heartbeat" && heartbeat.value.waitingRowCount).toBe(10n);
    expect(rig.kinds().filter((sent) => sent === "flush").length).toBe(flushCount);
    await rig.hub.say({ case: "credit", value: { bytes: 40_000n } });
    await isEqualIn(rig, 3_000);
  }),
);

test(
  "[SE43] a paused agent keeps its session and sends no row; told to go on, it is equal before any interval has passed",
  withRig(async (rig) => {
    rig.start();
    await isEqualIn(rig, 5_000);
    await rig.hub.say({ case: "config", value: { isPaused: true } });
    await rig.world.run(1_000);
    rig.table.getKind("pods")?.upsert(sampleRow({ name: "pod-1", note: "meanwhile" }));
    await rig.world.run(70_000);
    expect([rig.isEqual, rig.hub.sessionCount, rig.status]).toEqual([false, 1, "live"]);
    const heartbeat = rig.hub.received.findLast(({ kind }) => kind === "heartbeat")?.request.message;
    expect(heartbeat?.case === "heartbeat" && heartbeat.value.oldestWaitingMs).toBeGreaterThan(60_000n);
    await rig.hub.say({ case: "config", value: { isPaused: false } });
    await isEqualIn(rig, 1_000);
  }),
);

test(
  "[SE44] a verdict on the API server that changed is told at once, and the next heartbeat follows an interval later",
  withRig(async (rig) => {
    let fault = "";
    const listeners = new Set<() => void>();
    rig.start({
      apiServer: () => ({ fault, sinceMs: 0, error: "", attemptCount: 0, retryAtMs: undefined }),
      onApiServerVerdict: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    });
    await isEqualIn(rig, 5_000);
    const beats = (): readonly (readonly [number, string])[] =>
      rig.hub.received.flatMap(({ atMs, request: { message } }) =>
        message.case === "heartbeat" ? [[atMs, message.value.apiServerFault] as const] : [],
      );
    const beforeCount = beats().length;
    const changedAtMs = rig.world.clock.nowMs();
    fault = "tcp";
    for (const listener of listeners) listener();
    await rig.world.run(1_000);
    expect(beats().slice(beforeCount)).toEqual([[expect.any(Number), "tcp"]]);
    expect((beats().at(-1)?.[0] ?? 0) - changedAtMs).toBeLessThan(1_000);
    await rig.world.run(3_900);
    expect(beats()).toHaveLength(beforeCount + 1);
    await rig.world.run(2_000);
    expect(beats()).toHaveLength(beforeCount + 2);
  }),
);

test(
  "[N-51] [N-50] [SE18] 10,000 changes in a second make no flush closer than the minimum, and fewer as it goes on",
  withRig(async (rig) => {
    rig.start();
    await isEqualIn(rig, 5_000);
    const kind = rig.table.getKind("pods");
    for (let at = 0; at < 1_000; at += 1) {
      for (let of = 0; of < 10; of += 1) kind?.upsert(sampleRow({ name: `pod-${of}`, note: `change ${at}` }));
      await rig.world.run(1);
    }
    await isEqualIn(rig, 5_000);
    const times = rig.hub.received.filter(({ kind: sent }) => sent === "flush").map(({ atMs }) => atMs);
    expect(times.length).toBeLessThanOrEqual(6);
    await rig.world.run(61_000);
    // Quiet for a minute: the shortest interval again, so each of ten changes, 150 ms apart, goes by itself.
    for (let at = 0; at < 10; at += 1) {
      kind?.upsert(sampleRow({ name: "pod-1", note: `slow ${at}` }));
      await rig.world.run(150);
    }
    const later = rig.hub.received.filter(({ kind: sent }) => sent === "flush").length - times.length;
    expect(later).toBeGreaterThanOrEqual(9);
  }),
);

test(
  "[lesson navigator-7.1.6] one message is sent at a time",
  withRig(
    async (rig) => {
      rig.network.setReadDelay("hub", 100);
      rig.start();
      const kind = rig.table.getKind("pods");
      for (let at = 0; at < 200; at += 1) {
        kind?.upsert(sampleRow({ name: `pod-${at}`, note: "x".repeat(500) }));
        rig.report("pods", { refusedCount: at });
        await rig.world.run(40);
      }
      rig.network.setReadDelay("hub", 0);
      await isEqualIn(rig, 10_000);
      expect(rig.most.sendCount).toBe(1);
    },
    { windowBytes: 8_000 },
  ),
);

test(
  "[SE28] a kind that the cluster does not serve any more is emptied by a complete, empty list",
  withRig(async (rig) => {
    rig.start();
    await isEqualIn(rig, 5_000);
    rig.list("pods", []);
    await isEqualIn(rig, 2_000);
    expect(rig.hub.rows.kind("pods").size).toBe(0);
  }),
);

test(
  "[SE27] while buckets that were asked for wait for credit, no root digest makes the hub ask again",
  withRig(async (rig) => {
    const first = rig.start();
    await isEqualIn(rig, 5_000);
    first.stop();
    await rig.world.run(1_000);
    rig.table.getKind("pods")?.upsert(sampleRow({ name: "pod-1", note: "changed while away" }));
    rig.hub.settings.creditBytes = 0;
    rig.start({}, "agent again");
    await rig.world.run(200_000);
    const levels = rig.hub.received.flatMap(({ request: { message }, session }) =>
      message.case === "digests" && session === 2 ? [message.value.level] : [],
    );
    expect(levels).toEqual([DigestLevel.KINDS, DigestLevel.BUCKETS]);
    await rig.hub.say({ case: "credit", value: { bytes: 40_000n } });
    await isEqualIn(rig, 2_000);
  }),
);

test(
  "[SE29] a message in chunks that takes longer than two heartbeats does not end the session",
  withRig(
    async (rig) => {
      rig.start();
      await isEqualIn(rig, 5_000);
      const resource = "rbac.authorization.k8s.io/roles";
      const random = rig.world.random.fork("notes");
      const note = (): string => Buffer.from(random.bytes(1_500)).toString("base64");
      rig.network.setReadDelay("hub", 1_500);
      rig.list(
        resource,
        Array.from({ length: 60 }, (_, at) => sampleRow({ resource, name: `role-${at}`, note: note() })),
      );
      const sinceMs = rig.world.clock.nowMs();
      await isEqualIn(rig, 60_000);
      expect(rig.world.clock.nowMs() - sinceMs).toBeGreaterThan(15_000);
      expect(rig.hub.sessionCount).toBe(1);
    },
    { windowBytes: 16_500 },
  ),
);
