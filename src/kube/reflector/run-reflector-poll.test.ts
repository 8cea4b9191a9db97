// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { pod, pods, ReflectorRig } from "./testing/reflector-rig.ts";

const bounds = { syncIntervalMs: 30_000, minSyncIntervalMs: 5_000, maxSyncIntervalMs: 120_000 };

function gapsOf(times: readonly number[]): number[] {
  return times.slice(1).map((atMs, index) => atMs - (times[index] ?? 0));
}

function refuseWatch(rig: ReflectorRig, status = 403): () => void {
  return rig.server.faults.add({ fault: { kind: "status", status }, matches: ({ verb }) => verb === "watch" });
}

describe("polling", () => {
  test.each([403, 405])(
    "[KU16] where watch is refused by %d it polls every interval and follows what changes",
    async (status) => {
      await using rig = new ReflectorRig({ latency: { minMs: 0, maxMs: 0 } });
      refuseWatch(rig, status);
      rig.server.put(pods, pod("a"));
      rig.server.put(pods, pod("b"));
      rig.start(bounds);
      await rig.clock.advance(1_000);
      expect(rig.folded.objects).toEqual(rig.truth);
      expect(rig.ofKind("current")).toMatchObject([{ mode: "poll" }]);
      rig.server.delete(pods, "shop", "a");
      await rig.clock.advance(30_000);
      expect(rig.folded.objects).toEqual(rig.truth);
      expect(rig.verbs("list").map(({ atMs }) => atMs)).toEqual([0, 30_000]);
      expect(rig.verbs("watch")).toHaveLength(1);
      expect(rig.ofKind("failed")).toEqual([]);
    },
  );

  test("[KU16][N-50][N-51] scans come faster while changes do, and slow down when they stop, within both bounds", async () => {
    await using rig = new ReflectorRig({ latency: { minMs: 0, maxMs: 0 } });
    refuseWatch(rig);
    rig.start({ ...bounds, rewatchIntervalMs: 1e9 });
    for (let atMs = 0; atMs < 300_000; atMs += 1_000) {
      rig.server.put(pods, pod(`p${atMs % 7}`));
      await rig.clock.advance(1_000);
    }
    const busy = gapsOf(rig.verbs("list").map(({ atMs }) => atMs));
    expect(Math.min(...busy)).toBe(5_000);
    expect(busy.slice(-20)).toEqual(Array.from({ length: 20 }, () => 5_000));
    const stoppedAtMs = rig.clock.nowMs();
    await rig.clock.advance(3_600_000);
    const quiet = rig.verbs("list").map(({ atMs }) => atMs);
    const aMinuteLater = gapsOf(quiet.filter((atMs) => atMs > stoppedAtMs + 35_000))[0];
    expect(aMinuteLater).toBe(30_000);
    expect(Math.max(...gapsOf(quiet))).toBe(120_000);
    expect(gapsOf(quiet).at(-1)).toBe(120_000);
  });

  test("[KU16][N-60] a scan that outlasts its interval is told, and the next begins after its end", async () => {
    await using rig = new ReflectorRig({ latency: { minMs: 0, maxMs: 0 } });
    refuseWatch(rig);
    rig.server.faults.add({ fault: { kind: "slowBody", delayMs: 60_000 }, matches: ({ verb }) => verb === "list" });
    rig.start({ ...bounds, requestTimeoutMs: 90_000 });
    await rig.clock.advance(600_000);
    expect(rig.ofKind("overrun")[0]).toMatchObject({ tookMs: 60_000, intervalMs: 30_000 });
    const starts = rig.verbs("list").map(({ atMs }) => atMs);
    expect(starts.length).toBeGreaterThan(5);
    expect(Math.min(...gapsOf(starts))).toBeGreaterThanOrEqual(65_000);
  });

  test("[KU14][KU16][N-37] a scan that fails is tried again within the scan, then waits for the next", async () => {
    await using rig = new ReflectorRig({ latency: { minMs: 0, maxMs: 0 } });
    refuseWatch(rig);
    rig.start({ ...bounds, retryLimit: 3 });
    await rig.clock.advance(1_000);
    rig.server.faults.add({ fault: { kind: "status", status: 503 }, matches: ({ verb }) => verb === "list" });
    await rig.clock.advance(58_000);
    const failing = rig
      .verbs("list")
      .map(({ atMs }) => atMs)
      .slice(1);
    expect(failing).toHaveLength(3);
    expect(failing[0]).toBe(30_000);
    await rig.clock.advance(2_000);
    expect(rig.verbs("list")[4]?.atMs).toBe(60_000);
  });

  test("[KU16] a right to watch that is granted later is found without a restart", async () => {
    await using rig = new ReflectorRig();
    const grant = refuseWatch(rig);
    rig.start({ ...bounds, rewatchIntervalMs: 300_000 });
    await rig.clock.advance(100_000);
    grant();
    await rig.clock.advance(500_000);
    expect(rig.ofKind("current").at(-1)).toMatchObject({ mode: "watch" });
    rig.server.put(pods, pod("a"));
    await rig.clock.advance(100);
    expect(rig.folded.objects).toEqual(rig.truth);
  });

  test("[KU16][N-51] trying for a watch in vain adds no LIST beyond the minimum interval", async () => {
    await using rig = new ReflectorRig({ latency: { minMs: 0, maxMs: 0 } });
    refuseWatch(rig);
    rig.start({ ...bounds, rewatchIntervalMs: 60_000 });
    await rig.clock.advance(600_000);
    expect(rig.verbs("watch").length).toBeGreaterThan(5);
    expect(Math.min(...gapsOf(rig.verbs("list").map(({ atMs }) => atMs)))).toBeGreaterThanOrEqual(5_000);
  });

  test("[KU14][KU16] where lists are refused too it is a failure, not polling, and a right granted later begins with a watch", async () => {
    await using rig = new ReflectorRig();
    rig.server.isAllowed = () => false;
    rig.server.put(pods, pod("a"));
    rig.start(bounds);
    await rig.clock.advance(60_000);
    expect(rig.ofKind("failed")[0]).toMatchObject({ error: { fault: "forbidden" } });
    expect(rig.story).not.toContain("listing");
    expect(rig.doubts).toEqual([]);
    rig.server.isAllowed = () => true;
    await rig.clock.advance(60_000);
    expect(rig.folded.objects).toEqual(rig.truth);
    expect(rig.ofKind("current").at(-1)).toMatchObject({ mode: "watch" });
  });
});
