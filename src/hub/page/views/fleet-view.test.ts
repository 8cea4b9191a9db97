// SPDX-License-Identifier: Apache-2.0
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { settle } from "../../../base/testing/manual-clock.ts";
import { ClusterPart } from "../../../gen/flotilla/page/v1/page_pb.ts";
import { rbacResources } from "../../../model/rbac-resources.ts";
import { PageRig, pods } from "../testing/page-rig.ts";
import { fleetView, type TestStream } from "../testing/test-viewer.ts";

let rig: PageRig;

beforeEach(async () => {
  rig = await PageRig.start();
});

afterEach(async () => {
  await rig.stop();
  expect(rig.clock.timerCount).toBe(0);
});

/** Lets a step pass, in which everything that changed is shown. */
async function step(): Promise<void> {
  await rig.clock.advance(500);
  await settle();
}

function idsOf(stream: TestStream, at: number): readonly string[] {
  return (stream.fleetUpdates()[at]?.clusters ?? []).map(({ id }) => id).sort();
}

test("[R-17] [PG9] a page that is opened gets the present state first, whole and at once", async () => {
  await rig.arrive("a", "eu");
  await rig.arrive("b", "us");
  await rig.lose("b");
  const stream = await rig.viewer("root").open(fleetView());
  expect(stream.messages.map(({ subscriptionId, isSnapshot }) => [subscriptionId, isSnapshot])).toEqual([
    [0, false],
    [1, true],
  ]);
  expect(stream.streamId).toMatch(/^page_/);
  expect(stream.states()).toBe("a:live b:disconnected");
  expect(stream.fleet().incidents).toMatchObject([
    { number: 1, outIds: ["b"], reasons: ["agentLost"], regions: ["us"] },
  ]);
  const b = stream.fleet().clusters.get("b");
  expect(b).toMatchObject({ region: "us", agentVersion: "1.2.3", connection: { reason: "agentLost", incident: 1 } });
  expect(b?.connection?.sentence).toMatch(/broke without a goodbye/);
  await stream.close();
});

test("[PG10] what changed within half a second is one update, with the last word of each cluster and nothing of the others", async () => {
  for (const name of ["a", "b", "c"]) await rig.arrive(name);
  const stream = await rig.viewer("root").open(fleetView());
  await rig.lose("a");
  await rig.arrive("a");
  await rig.lose("a");
  await rig.lose("b");
  expect(stream.of(1)).toHaveLength(1);
  await step();
  expect(stream.of(1)).toHaveLength(2);
  expect(stream.of(1)[1]?.isSnapshot).toBe(false);
  expect(idsOf(stream, 1)).toEqual(["a", "b"]);
  expect(stream.states()).toBe("a:disconnected b:disconnected c:live");
  await stream.close();
});

test("[PG10] a cluster that changes all the time is told twice a second, and no more", async () => {
  await rig.arrive("a");
  const early = await rig.viewer("root").open(fleetView());
  // Between two steps of the board, which goes on for the other.
  await rig.clock.advance(370);
  const stream = await rig.viewer("root").open(fleetView());
  for (let round = 0; round < 20; round += 1) {
    await rig.lose("a");
    await rig.clock.advance(50);
    await rig.arrive("a");
    await rig.clock.advance(50);
  }
  const cameMs = stream.messages.flatMap(({ subscriptionId }, at) =>
    subscriptionId === 1 ? [stream.cameMs[at]!] : [],
  );
  expect(cameMs.length).toBeGreaterThanOrEqual(4);
  for (const [at, cameAtMs] of cameMs.slice(1).entries()) expect(cameAtMs - cameMs[at]!).toBeGreaterThanOrEqual(500);
  await stream.close();
  await early.close();
});

test("[PG10] [L13] a reader that does not read gets one update when it reads again, and that one is the newest", async () => {
  await rig.arrive("a");
  await rig.arrive("b");
  const stream = await rig.viewer("root").open(fleetView());
  stream.pause();
  for (let round = 0; round < 5; round += 1) {
    await rig.lose("a");
    await step();
    await rig.arrive("a");
    await step();
  }
  await rig.lose("a");
  await step();
  const beforeCount = stream.of(1).length;
  stream.resume();
  await settle();
  await step();
  await settle();
  expect(stream.states()).toBe("a:disconnected b:live");
  // What the transport had taken before it stopped, and the newest.
  expect(stream.of(1).length - beforeCount).toBeLessThanOrEqual(3);
  await stream.close();
});

describe("a page that comes back", () => {
  test("[PG9] is told what it missed, and not what it has", async () => {
    for (const name of ["a", "b", "c"]) await rig.arrive(name);
    const first = await rig.viewer("root").open(fleetView());
    await rig.lose("a");
    await step();
    const position = first.positionOf(1);
    await first.close();
    await rig.lose("b");
    await rig.clock.advance(5_000);
    const second = await rig.viewer("root").open(fleetView(1, position));
    expect(second.of(1).map(({ isSnapshot }) => isSnapshot)).toEqual([false]);
    expect(idsOf(second, 0)).toContain("b");
    expect(second.fleetUpdates()[0]?.clusters.find(({ id }) => id === "b")?.connection?.state).toBe("disconnected");
    await second.close();
  });

  test("[PG9] hears nothing where nothing changed", async () => {
    await rig.register("a");
    const first = await rig.viewer("root").open(fleetView());
    const position = first.positionOf(1);
    await first.close();
    const second = await rig.viewer("root").open(fleetView(1, position));
    await step();
    expect(second.of(1)).toEqual([]);
    await second.close();
  });

  test("[PG9] is told which clusters went meanwhile", async () => {
    await rig.register("a");
    await rig.register("b");
    const first = await rig.viewer("root").open(fleetView());
    const position = first.positionOf(1);
    await first.close();
    await rig.hub.fleet.removeCluster("b");
    await settle();
    const second = await rig.viewer("root").open(fleetView(1, position));
    expect(second.of(1)[0]?.isSnapshot).toBe(false);
    expect(second.fleetUpdates()[0]?.removedIds).toEqual(["b"]);
    await second.close();
  });

  test.each([
    ["of another run of the hub", (text: string) => `run_other${text.slice(text.indexOf("."))}`],
    ["of a step to come", (text: string) => text.replace(/\d+$/, "999999")],
    ["of a scope that is not remembered", (text: string) => text.replace(/\.[0-9a-z]+\./, ".zzz.")],
    ["that is none", () => "__proto__.constructor.1e9"],
    ["that is very long", () => "1".repeat(100_000)],
  ])("[PG9] with a position %s gets a snapshot", async (_name, spoil) => {
    await rig.register("a");
    const first = await rig.viewer("root").open(fleetView());
    const position = spoil(first.positionOf(1));
    await first.close();
    const second = await rig.viewer("root").open(fleetView(1, position));
    expect(second.of(1).map(({ isSnapshot }) => isSnapshot)).toEqual([true]);
    expect(second.states()).toBe("a:neverSeen");
    await second.close();
  });
});

test("[R-25] nobody looking costs no timer, and what happened meanwhile is shown to the next who looks", async () => {
  await rig.arrive("a");
  const restingCount = rig.clock.timerCount;
  const stream = await rig.viewer("root").open(fleetView());
  expect(rig.clock.timerCount).toBeGreaterThan(restingCount);
  await stream.close();
  expect(rig.clock.timerCount).toBe(restingCount);
  await rig.lose("a");
  const late = await rig.viewer("root").open(fleetView());
  expect(late.states()).toBe("a:disconnected");
  await late.close();
});

test("[R-24] a cluster that comes, changes its labels and goes is shown so, without anybody asking anew", async () => {
  const stream = await rig.viewer("root").open(fleetView());
  expect(stream.states()).toBe("");
  await rig.arrive("a");
  await step();
  expect(stream.states()).toBe("a:live");
  await rig.hub.fleet.clusters.update("a", (record) => ({ ...record, labels: new Map([["tier", "gold"]]) }));
  await step();
  expect(stream.fleet().clusters.get("a")?.labels).toEqual({ tier: "gold" });
  await rig.hub.fleet.removeCluster("a");
  await step();
  expect(stream.states()).toBe("");
  expect(stream.of(1).map(({ isSnapshot }) => isSnapshot)).toEqual([true, false, false, false]);
  await stream.close();
});

test("[PG17] every instant is of the clock that the message shows, and what it says of a live cluster does not move with heartbeats", async () => {
  await rig.arrive("a");
  await rig.advance(60_000);
  const stream = await rig.viewer("root").open(fleetView());
  const [, message] = stream.messages;
  expect(message).toMatchObject({ nowMs: BigInt(rig.clock.nowMs()), wallMs: BigInt(rig.clock.wallMs()) });
  expect(stream.fleet().clusters.get("a")?.connection).toMatchObject({ sinceMs: 0n, lagSeconds: 0 });
  const { length } = stream.of(1);
  await rig.advance(60_000);
  expect(stream.of(1)).toHaveLength(length);
  await rig.lose("a");
  await step();
  const lost = stream.fleet().clusters.get("a")?.connection;
  expect(lost?.seenMs).toBeDefined();
  expect(lost?.sinceMs).toBe(120_000n);
  await stream.close();
});

test("[PG19] an incident that ended is told with how its clusters caught up, and is gone a minute later", async () => {
  await rig.arrive("a", "", { incarnation: "first" });
  await rig.arrive("b", "", { incarnation: "first" });
  const stream = await rig.viewer("root").open(fleetView());
  await rig.lose("a");
  await rig.lose("b");
  await step();
  expect(stream.fleet().incidents).toMatchObject([{ number: 1, outIds: ["a", "b"] }]);
  await rig.arrive("a", "", { incarnation: "first" });
  await step();
  expect(stream.fleet().incidents).toMatchObject([{ outIds: ["b"], returnedIds: ["a"], caughtUpBy: ["resumed"] }]);
  await rig.arrive("b", "", { incarnation: "second" });
  await step();
  const [ended] = stream.fleet().incidents;
  expect(ended).toMatchObject({ outIds: [], returnedIds: ["a", "b"], caughtUpBy: ["resumed", "relisted"] });
  expect(ended?.endedMs).toBe(BigInt(rig.clock.nowMs() - 500));
  await rig.advance(55_000);
  expect(stream.fleet().incidents).toHaveLength(1);
  await rig.advance(10_000);
  expect(stream.fleet().incidents).toEqual([]);
  await stream.close();
});

test("[PG24] what is in trouble is counted by kind, and followed as it changes", async () => {
  await rig.arrive("a");
  const stream = await rig.viewer("root").open(fleetView());
  const objects = () => stream.fleet().clusters.get("a")?.objects;
  await rig.send("a", rig.pod("a", "p1", "healthy"), rig.pod("a", "p2", "unhealthy"), rig.pod("a", "p3", "degraded"));
  expect(objects()).toMatchObject({ rowCount: 3n, unhealthy: [{ resource: pods, kind: "Thing", count: 2 }] });
  await rig.send("a", rig.pod("a", "p2", "healthy"), rig.pod("a", "p4", "progressing"));
  expect(objects()).toMatchObject({ rowCount: 4n, unhealthy: [{ count: 1 }] });
  await rig.send("a", rig.pod("a", "p3", "completed"));
  expect(objects()).toMatchObject({ rowCount: 4n, unhealthy: [] });
  await stream.close();
});

test("[PG11] of a cluster that changed only what changed is sent", async () => {
  await rig.arrive("a", "eu");
  const stream = await rig.viewer("root").open(fleetView());
  const newest = () => stream.fleetUpdates().at(-1)?.clusters;
  await rig.send("a", rig.pod("a", "p1", "healthy"));
  const { OBJECTS, CONNECTION } = ClusterPart;
  expect(newest()).toMatchObject([{ id: "a", region: "", parts: [OBJECTS], objects: { rowCount: 1n } }]);
  expect([newest()?.[0]?.strip, newest()?.[0]?.connection]).toEqual([new Uint8Array(), undefined]);
  await rig.lose("a");
  await step();
  expect(newest()?.[0]?.parts).toContain(CONNECTION);
  expect(newest()?.[0]).toMatchObject({ region: "", connection: { state: "disconnected" } });
  expect(newest()?.[0]?.objects).toBeUndefined();
  await rig.hub.fleet.clusters.update("a", (record) => ({ ...record, labels: new Map([["tier", "gold"]]) }));
  await step();
  expect(newest()).toMatchObject([{ region: "eu", parts: [], connection: { state: "disconnected" } }]);
  expect(newest()?.[0]?.strip).toHaveLength(48);
  await stream.close();
});

test("[R-2][PG18] while a cluster is out its rows are as of the loss, though its agent is heard and its state changes", async () => {
  await rig.arrive("a");
  await rig.advance(10_000);
  const stream = await rig.viewer("root").open(fleetView());
  const lostMs = BigInt(rig.clock.nowMs());
  const beat = async (fields = {}): Promise<void> => {
    rig.agent("a").beat(fields);
    await step();
  };
  const connection = () => stream.fleet().clusters.get("a")?.connection;
  await beat({ apiServerFault: "tcp" });
  expect(connection()).toMatchObject({ state: "disconnected", seenMs: lostMs });
  for (let round = 0; round < 20; round += 1) await beat({ apiServerFault: "tcp" });
  expect(connection()).toMatchObject({ state: "disconnected", seenMs: lostMs });
  await beat();
  expect(connection()).toMatchObject({ state: "catchingUp", seenMs: lostMs });
  const { length } = stream.of(1);
  for (let round = 0; round < 10; round += 1) await beat();
  expect(stream.of(1)).toHaveLength(length);
  rig.agent("a").digestKinds([pods, ...rbacResources]);
  await settle();
  await step();
  expect([connection()?.state, connection()?.seenMs]).toEqual(["live", undefined]);
  await rig.lose("a");
  await step();
  expect(connection()?.seenMs).toBeGreaterThan(lostMs);
  await stream.close();
});

test("[L2] grants that become complete without a word are found by the sweep within 5 s, and so is their loss", async () => {
  for (const name of ["a", "b", "c"]) await rig.arrive(name);
  const stream = await rig.viewer("root").open(fleetView());
  const { fleetRows } = rig.hub.fleet;
  const objects = () => [...stream.fleet().clusters.values()].map((cluster) => cluster.objects !== undefined);
  expect(objects()).toEqual([true, true, true]);
  for (const name of ["a", "b", "c"]) fleetRows.setRbacComplete(name, false);
  await rig.advance(6_000);
  expect(objects()).toEqual([false, false, false]);
  for (const name of ["a", "b", "c"]) fleetRows.setRbacComplete(name, true);
  await rig.advance(6_000);
  expect(objects()).toEqual([true, true, true]);
  await stream.close();
});
