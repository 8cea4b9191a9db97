// SPDX-License-Identifier: Apache-2.0
// A viewer with less learns nothing of what it may not see: every byte that it was sent is searched for the hidden
// cluster.
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { settle } from "../../base/testing/manual-clock.ts";
import { PageRig } from "./testing/page-rig.ts";
import { changesView, clusterView, fleetView, type TestStream } from "./testing/test-viewer.ts";

let rig: PageRig;

beforeEach(async () => {
  rig = await PageRig.start();
  rig.authorizer.grants.set("half", { clusters: ["shown"], seesObjects: true });
});

afterEach(async () => {
  await rig.stop();
  expect(rig.clock.timerCount).toBe(0);
});

/** Everything that can happen to a cluster. */
async function live(name: string, region: string): Promise<void> {
  await rig.arrive(name, region);
  await rig.send(name, rig.pod(name, `${name}-pod`, "unhealthy", `${name}-space`));
  await rig.hub.fleet.clusters.update(name, (record) => ({ ...record, labels: new Map([[`${name}-label`, name]]) }));
  await rig.lose(name);
  await rig.clock.advance(1_000);
}

function everything(stream: TestStream): string {
  return `${stream.allText()} ${String(stream.failure)}`;
}

test("[PG12] a hidden cluster is in no byte of any view, whatever happens to it", async () => {
  await rig.arrive("shown", "here");
  const stream = await rig
    .viewer("half")
    .open(fleetView(1), clusterView("shown", 2), clusterView("veiled", 3), changesView({}, 4));
  await live("veiled", "nowhere");
  await rig.arrive("veiled", "nowhere");
  await rig.clock.advance(5_000);
  await rig.hub.fleet.removeCluster("veiled");
  await rig.clock.advance(1_000);
  expect(everything(stream).replace('there is no cluster "veiled"', "")).not.toMatch(/veiled|nowhere/);
  expect(stream.states()).toMatch(/^shown:\w+$/);
  await stream.close();
});

test("[PG12] what happens to a hidden cluster causes no message at all", async () => {
  await rig.register("shown");
  const stream = await rig.viewer("half").open(fleetView(1), clusterView("shown", 2), changesView({}, 3));
  await rig.clock.advance(2_500);
  const { length } = stream.messages;
  await live("veiled", "nowhere");
  expect(stream.messages.slice(length).filter(({ subscriptionId }) => subscriptionId !== 0)).toEqual([]);
  await stream.close();
});

test("[PG12] asking for a hidden cluster is answered as asking for one that does not exist", async () => {
  await rig.register("hidden1");
  const stream = await rig.viewer("half").open(clusterView("hidden1", 1), clusterView("missing1", 2));
  const [hidden, missing] = [1, 2].map((id) => stream.of(id)[0]);
  expect(hidden?.refusal?.code).toBe("NOT_FOUND");
  expect(hidden?.refusal?.message).toBe(missing?.refusal?.message.replace("missing1", "hidden1"));
  expect(hidden?.update).toEqual(new Uint8Array());
  await stream.close();
});

test("[PG12] an incident tells only of the clusters that are seen: its beginning, reasons, regions and end are theirs", async () => {
  await rig.arrive("veiled", "nowhere");
  await rig.arrive("shown", "here");
  await rig.lose("veiled");
  await rig.clock.advance(3_000);
  await rig.lose("shown");
  const whole = await rig.viewer("root").open(fleetView());
  const part = await rig.viewer("half").open(fleetView());
  expect(whole.fleet().incidents).toMatchObject([
    { beganMs: 0n, regions: ["nowhere", "here"], outIds: ["shown", "veiled"] },
  ]);
  expect(part.fleet().incidents).toMatchObject([{ beganMs: 3_000n, regions: ["here"], outIds: ["shown"] }]);
  await rig.arrive("shown", "here");
  await rig.clock.advance(500);
  await settle();
  expect(whole.fleet().incidents).toMatchObject([{ outIds: ["veiled"], returnedIds: ["shown"] }]);
  expect(whole.fleet().incidents[0]?.endedMs).toBeUndefined();
  expect(part.fleet().incidents).toMatchObject([{ outIds: [], returnedIds: ["shown"], endedMs: 3_000n }]);
  await whole.close();
  await part.close();
});

describe("what objects tell", () => {
  test("[PG12] is not told to those who may not list rows", async () => {
    await rig.arrive("shown");
    const stream = await rig.viewer("guest").open(fleetView(1), clusterView("shown", 2), changesView({}, 3));
    await rig.send("shown", rig.pod("shown", "secret-pod", "unhealthy"));
    expect(stream.states()).toBe("shown:live");
    expect(everything(stream)).not.toMatch(/secret-pod|pods/);
    expect(stream.fleet().clusters.get("shown")?.objects).toBeUndefined();
    for (const { kinds, unhealthy, rates } of stream.clusterUpdates(2)) {
      expect([kinds, unhealthy, rates]).toEqual([undefined, undefined, undefined]);
    }
    expect(stream.of(3).map(({ refusal }) => refusal?.code)).toEqual(["PERMISSION_DENIED"]);
    await stream.close();
  });

  test("[PG12] [L2] is told to nobody before the cluster's grants are complete", async () => {
    await rig.register("shown");
    const { fleet } = rig.hub;
    const stream = await rig.viewer("root").open(fleetView(1), clusterView("shown", 2));
    expect(stream.fleet().clusters.get("shown")?.objects).toBeUndefined();
    fleet.fleetRows.setRbacComplete("shown", true);
    await rig.clock.advance(5_500);
    expect(stream.fleet().clusters.get("shown")?.objects).toMatchObject({ rowCount: 0n });
    await stream.close();
  });
});

describe("[PG12] permission is asked anew at every heartbeat", () => {
  test("a cluster that may no longer be seen goes within 5 s, from the fleet and from its own page", async () => {
    await rig.register("shown");
    await rig.register("other");
    rig.authorizer.grants.set("half", { clusters: ["shown", "other"], seesObjects: true });
    const stream = await rig.viewer("half").open(fleetView(1), clusterView("other", 2));
    rig.authorizer.grants.set("half", { clusters: ["shown"], seesObjects: true });
    await rig.clock.advance(5_000);
    expect(stream.states()).toBe("shown:neverSeen");
    expect(stream.of(2).at(-1)?.refusal?.code).toBe("NOT_FOUND");
    const { length } = stream.of(2);
    rig.authorizer.grants.set("half", { clusters: ["shown", "other"], seesObjects: true });
    await rig.clock.advance(5_500);
    expect(stream.states()).toBe("other:neverSeen shown:neverSeen");
    expect(stream.of(2)).toHaveLength(length);
    await stream.close();
  });

  test("what objects tell goes with the right to list rows, by a snapshot without it", async () => {
    await rig.arrive("shown");
    await rig.send("shown", rig.pod("shown", "p", "unhealthy"));
    const stream = await rig.viewer("half").open(fleetView(1), clusterView("shown", 2), changesView({}, 3));
    expect(stream.fleet().clusters.get("shown")?.objects).toBeDefined();
    rig.authorizer.grants.set("half", { clusters: ["shown"] });
    await rig.clock.advance(5_500);
    expect(stream.of(1).at(-1)?.isSnapshot).toBe(true);
    expect(stream.fleet().clusters.get("shown")?.objects).toBeUndefined();
    expect(stream.of(2).at(-1)?.isSnapshot).toBe(true);
    expect(stream.of(3).at(-1)?.refusal?.code).toBe("PERMISSION_DENIED");
    await stream.close();
  });

  test("changes that are shown of a cluster go with the right to see it", async () => {
    await rig.arrive("shown");
    await rig.arrive("other");
    rig.authorizer.grants.set("half", { clusters: ["shown", "other"], seesObjects: true });
    const stream = await rig.viewer("half").open(changesView({}, 1));
    await rig.send("other", rig.pod("other", "p", "healthy"));
    expect(stream.changesUpdates().at(-1)?.changes).toHaveLength(1);
    rig.authorizer.grants.set("half", { clusters: ["shown"], seesObjects: true });
    await rig.clock.advance(5_500);
    expect(stream.of(1).at(-1)).toMatchObject({ isSnapshot: true, update: new Uint8Array() });
    await stream.close();
  });

  test("a position of a sight that has become less is answered without what is hidden now", async () => {
    await rig.register("shown");
    await rig.register("other");
    const before = await rig.viewer("root").open(fleetView());
    const position = before.positionOf(1);
    await before.close();
    const stream = await rig.viewer("half").open(fleetView(1, position));
    expect(stream.fleet().clusters.has("other")).toBe(false);
    expect(stream.fleetUpdates()[0]?.removedIds).toEqual(["other"]);
    await stream.close();
  });
});
