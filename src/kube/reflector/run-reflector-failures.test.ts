// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { identityOf } from "../../kinds/object-identity.ts";
import { KubeError } from "../kube-error.ts";
import type { KubeSource } from "../kube-source.ts";
import type { ReflectorEvent } from "../reflector-event.ts";
import { pod, pods, ReflectorRig } from "./testing/reflector-rig.ts";

describe("failures", () => {
  test("[KU14][N-37] backoff with full jitter, at most retryLimit attempts in a scan, and the next scan anew", async () => {
    await using rig = new ReflectorRig({ latency: { minMs: 0, maxMs: 0 } });
    rig.server.faults.add({ fault: { kind: "status", status: 500 } });
    rig.start({ retryLimit: 4, syncIntervalMs: 60_000 });
    await rig.clock.advance(179_000);
    const times = rig.requests.map(({ atMs }) => atMs);
    const scans = [0, 60_000, 120_000].map((startMs) =>
      times.filter((atMs) => atMs >= startMs && atMs < startMs + 60_000),
    );
    for (const [scan, startMs] of [[scans[0] ?? [], 0] as const, [scans[1] ?? [], 60_000] as const]) {
      expect(scan).toHaveLength(4);
      expect(scan[0]).toBe(startMs);
      const gaps = scan.slice(1).map((atMs, index) => atMs - (scan[index] ?? 0));
      gaps.forEach((gapMs, index) => expect(gapMs).toBeLessThanOrEqual(800 * 2 ** index));
    }
    expect(scans[2]?.[0]).toBe(120_000);
    expect(new Set(rig.ofKind("failed").map(({ retryInMs }) => retryInMs)).size).toBeGreaterThan(4);
    expect(
      rig
        .ofKind("failed")
        .map(({ attemptCount }) => attemptCount)
        .slice(0, 5),
    ).toEqual([1, 2, 3, 4, 1]);
  });

  test("[KU14] a failure is told at once with its fault and when the next attempt comes; what was told stays", async () => {
    await using rig = new ReflectorRig();
    rig.server.put(pods, pod("a"));
    rig.start();
    await rig.clock.advance(20_000);
    rig.server.setState("down");
    await rig.clock.advance(10);
    const [failed] = rig.ofKind("failed");
    expect(failed).toMatchObject({ error: { fault: "tcp" }, attemptCount: 1 });
    const atMs = failed?.atMs ?? 0;
    expect(atMs).toBe(20_000);
    rig.server.setState("up");
    await rig.clock.advance(2_000);
    expect(rig.requests.at(-1)?.atMs).toBeGreaterThanOrEqual(atMs + (failed?.retryInMs ?? 0));
    expect(rig.folded.objects).toEqual(rig.truth);
  });

  test("[KU14] what a server asks for in Retry-After is waited", async () => {
    await using rig = new ReflectorRig({ latency: { minMs: 0, maxMs: 0 } });
    rig.server.faults.add({ fault: { kind: "status", status: 429, retryAfterMs: 20_000 }, count: 1 });
    rig.start();
    await rig.clock.advance(30_000);
    expect(rig.ofKind("failed")).toMatchObject([{ error: { fault: "overloaded" } }]);
    expect(rig.requests[1]?.atMs).toBeGreaterThanOrEqual(20_000);
    expect(rig.doubts).toEqual([]);
    expect(rig.folded.listedCount).toBe(1);
  });

  test("[KU14][L12] a server that accepts watches and drops them at once is asked ever less often", async () => {
    await using rig = new ReflectorRig();
    rig.start({ retryLimit: 5, syncIntervalMs: 30_000 });
    await rig.clock.advance(100);
    const before = rig.requests.length;
    for (let atMs = 0; atMs < 120_000; atMs += 50) {
      rig.server.breakWatches(atMs % 100 === 0 ? "end" : "reset");
      await rig.clock.advance(50);
    }
    expect(rig.requests.length - before).toBeLessThanOrEqual(5 * 5);
  });

  test("[R-8][R-31] a server that goes away is noticed by the broken watch alone, at once, without a probe", async () => {
    await using rig = new ReflectorRig();
    rig.start();
    await rig.clock.advance(20_000);
    rig.server.setState("down");
    await rig.clock.advance(10);
    expect(rig.doubts).toMatchObject([{ fault: "tcp" }]);
    expect(rig.ofKind("failed")).toMatchObject([{ error: { fault: "tcp" } }]);
  });

  test("[R-8] a watch that the server ends before it is due is reason to probe, and is resumed", async () => {
    await using rig = new ReflectorRig();
    rig.start();
    await rig.clock.advance(20_000);
    rig.server.breakWatches("end");
    await rig.clock.advance(100);
    expect(rig.doubts).toEqual([undefined]);
    expect(rig.ofKind("failed")).toEqual([]);
    expect(rig.verbs("watch")).toHaveLength(2);
  });

  test("[N-53] a LIST that is never answered fails by its own deadline", async () => {
    await using rig = new ReflectorRig({ offersWatchList: false });
    rig.server.put(pods, pod("a"));
    rig.server.faults.add({ fault: { kind: "hang" }, matches: ({ verb }) => verb === "list", count: 1 });
    rig.start({ requestTimeoutMs: 7_000 });
    await rig.clock.advance(6_900);
    expect(rig.ofKind("failed")).toEqual([]);
    await rig.clock.advance(200);
    expect(rig.ofKind("failed")).toMatchObject([{ error: { fault: "timeout" } }]);
    await rig.clock.advance(2_000);
    expect(rig.folded.objects).toEqual(rig.truth);
  });

  test("[KU11] a WatchList that falls silent before it is complete is followed by a list in pages", async () => {
    await using rig = new ReflectorRig();
    rig.server.put(pods, pod("a"));
    rig.server.faults.add({ fault: { kind: "silentWatch" }, count: 1 });
    rig.start({ watchSilenceMs: 10_000 });
    await rig.clock.advance(15_000);
    expect(rig.requests.map(({ verb }) => verb)).toEqual(["watch", "list", "watch"]);
    expect(rig.folded.objects).toEqual(rig.truth);
  });

  test("a position that the server answers but does not take through a whole scan is given up for a list", async () => {
    await using rig = new ReflectorRig();
    rig.start({ retryLimit: 3 });
    await rig.clock.advance(20_000);
    rig.server.faults.add({
      fault: { kind: "status", status: 504 },
      matches: ({ query }) => "resourceVersion" in query,
    });
    rig.server.breakWatches("reset");
    await rig.clock.advance(120_000);
    expect(rig.folded.listedCount).toBeGreaterThan(1);
  });

  test("what the receiver throws ends the reflector, also a KubeError", async () => {
    await using rig = new ReflectorRig();
    rig.start({}, { sink: () => Promise.reject(new KubeError("tcp", "not of the server")) });
    await rig.clock.advance(100);
    const thrown = await rig.running.catch((reason: unknown) => reason);
    expect(thrown).toMatchObject({ message: "not of the server" });
    expect(rig.requests).toHaveLength(1);
    rig.start();
  });

  test("what the receiver throws at the quiet start of a watch ends the reflector at once", async () => {
    await using rig = new ReflectorRig();
    let isBroken = false;
    const sink = ({ kind }: ReflectorEvent): void => {
      if (isBroken) throw new Error(`does not take ${kind}`);
    };
    rig.start({}, { sink });
    await rig.clock.advance(10_000);
    rig.server.breakWatches("end");
    isBroken = true;
    await rig.clock.advance(1_500);
    expect(rig.server.openWatchCount).toBe(0);
    await expect(rig.running).rejects.toThrow("does not take current");
    rig.start();
  });
});

describe("bounds", () => {
  test("[KU15] a receiver that is not ready holds the reflector back, and its time is not taken for silence", async () => {
    await using rig = new ReflectorRig();
    for (const name of ["a", "b", "c"]) rig.server.put(pods, pod(name));
    const ready: (() => void)[] = [];
    let openCount = 0;
    let mostOpen = 0;
    const sink = async (event: ReflectorEvent): Promise<void> => {
      openCount += 1;
      mostOpen = Math.max(mostOpen, openCount);
      if (event.kind === "object") await new Promise<void>((resolve) => ready.push(resolve));
      openCount -= 1;
    };
    rig.start({ watchSilenceMs: 10_000 }, { sink });
    await rig.clock.advance(60_000);
    expect(ready).toHaveLength(1);
    expect(rig.ofKind("failed")).toEqual([]);
    while (rig.folded.listedCount === 0) {
      ready.shift()?.();
      await rig.clock.advance(1);
    }
    await rig.clock.advance(1_000);
    expect(rig.ofKind("failed")).toEqual([]);
    expect(mostOpen).toBe(1);
    expect(rig.folded.objects).toEqual(rig.truth);
  });

  test("[KU15] an event over the limit is told and skipped; the others go on", async () => {
    await using rig = new ReflectorRig();
    rig.start({ maxObjectBytes: 1_000 });
    await rig.clock.advance(50);
    rig.server.put(pods, pod("huge", "shop", { annotations: { text: "x".repeat(5_000) } }));
    rig.server.put(pods, pod("small"));
    await rig.clock.advance(50);
    expect(rig.ofKind("skipped")).toMatchObject([{ error: { fault: "malformed" } }]);
    expect([...rig.folded.objects.keys()]).toEqual(["shop/small"]);
  });

  test("[KU15] a page over the limit is asked for again in smaller ones", async () => {
    await using rig = new ReflectorRig({ offersWatchList: false });
    for (let count = 0; count < 20; count += 1)
      rig.server.put(pods, pod(`p${count}`, "shop", { note: "x".repeat(700) }));
    rig.start({ maxObjectBytes: 1_000, pageSize: 20 });
    await rig.clock.advance(500);
    expect(
      rig
        .verbs("list")
        .slice(0, 4)
        .map(({ query }) => query["limit"]),
    ).toEqual(["20", "10", "5", "3"]);
    expect(rig.folded.objects).toEqual(rig.truth);
    expect(rig.folded.listedCount).toBe(1);
  });

  test.each([true, false])(
    "[L18] managedFields and the last applied configuration never leave the decoder (WatchList %s)",
    async (offersWatchList) => {
      await using rig = new ReflectorRig({ offersWatchList });
      const annotations = { "kubectl.kubernetes.io/last-applied-configuration": "secret", kept: "yes" };
      rig.server.put(pods, pod("a", "shop", { managedFields: [{}], annotations }));
      const seen: unknown[] = [];
      rig.start({}, { sink: (event) => void (event.kind === "object" && seen.push(event.object)) });
      await rig.clock.advance(100);
      expect(seen).toMatchObject([{ metadata: { name: "a", annotations: { kept: "yes" } } }]);
      expect(JSON.stringify(seen)).not.toMatch(/secret|managedFields/);
    },
  );

  test.each([true, false])(
    "a reader that brings its own strip gets what it leaves, from lists and watches (WatchList %s)",
    async (offersWatchList) => {
      await using rig = new ReflectorRig({ offersWatchList });
      rig.server.put(pods, pod("listed", "shop", { managedFields: [{ manager: "kubectl" }] }));
      const seen: unknown[] = [];
      const strip = (object: unknown): void => {
        Reflect.deleteProperty((object as { metadata: object }).metadata, "labels");
      };
      rig.start({}, { strip, sink: (event) => void (event.kind === "object" && seen.push(event.object)) });
      await rig.clock.advance(100);
      rig.server.put(pods, pod("watched", "shop", { managedFields: [{ manager: "apply" }], labels: { app: "web" } }));
      await rig.clock.advance(100);
      expect(seen).toMatchObject([
        { metadata: { name: "listed", managedFields: [{ manager: "kubectl" }] } },
        { metadata: { name: "watched", managedFields: [{ manager: "apply" }] } },
      ]);
      expect(JSON.stringify(seen)).not.toContain("labels");
    },
  );

  test.each([
    ["{", "malformed"],
    ['{"items":[]}', "malformed"],
    ['{"metadata":{"resourceVersion":"1"}}', "malformed"],
    ["[]", "malformed"],
  ])("a list of %s is told as %s", async (text, fault) => {
    await using rig = new ReflectorRig();
    const source: KubeSource = {
      request: ({ isWatch }) => {
        if (isWatch === true) return Promise.reject(new KubeError("refused", "no", { status: 422 }));
        return Promise.resolve({ status: 200, headers: new Map(), body: bytesOf(text) });
      },
    };
    rig.start({}, { source });
    await rig.clock.advance(100);
    expect(rig.ofKind("failed")[0]).toMatchObject({ error: { fault } });
  });

  test("[KU17] resourceVersions that are no numbers are resumed from as they are", async () => {
    await using rig = new ReflectorRig();
    const asked: (string | undefined)[] = [];
    const source: KubeSource = {
      request: ({ query = {} }) => {
        asked.push(query["resourceVersion"]);
        const metadata = { name: "a", resourceVersion: "zz-9", annotations: { "k8s.io/initial-events-end": "true" } };
        const lines = `${JSON.stringify({ type: "BOOKMARK", object: { metadata } })}\n`;
        return Promise.resolve({ status: 200, headers: new Map(), body: bytesOf(lines) });
      },
    };
    rig.start({}, { source });
    await rig.clock.advance(2_000);
    expect(asked.slice(0, 2)).toEqual([undefined, "zz-9"]);
  });

  test("keys of users that look like parts of the language are plain keys", () => {
    const object: unknown = JSON.parse('{"metadata":{"name":"constructor","__proto__":{"uid":"x"}}}');
    expect(identityOf(object)).toEqual({ namespace: "", name: "constructor", uid: "", resourceVersion: "" });
  });
});

async function* bytesOf(text: string): AsyncGenerator<Uint8Array, void> {
  yield new TextEncoder().encode(text);
}
