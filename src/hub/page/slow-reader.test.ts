// SPDX-License-Identifier: Apache-2.0
// A reader of rows that answers late delays rows only, and what it answers to a viewer that lost its right is not
// shown.
import { afterEach, beforeEach, expect, test } from "vitest";
import { settle } from "../../base/testing/manual-clock.ts";
import { PageRig } from "./testing/page-rig.ts";
import { changesView, clusterView, fleetView, type TestStream } from "./testing/test-viewer.ts";

let rig: PageRig;

beforeEach(async () => {
  rig = await PageRig.start();
  for (const name of ["a", "b"]) await rig.arrive(name);
});

afterEach(async () => {
  await rig.stop();
  expect(rig.clock.timerCount).toBe(0);
});

/** Holds every read that begins from now on, until `release`. Counts those that run at the same time. */
function holdReads(): { readonly atOnce: () => number; release(): void } {
  const { reader } = rig.hub.fleet;
  const { promise, resolve } = Promise.withResolvers<void>();
  const running = new Map<string, number>();
  let most = 0;
  const hold = async <T>(key: string, read: () => Promise<T>): Promise<T> => {
    const count = (running.get(key) ?? 0) + 1;
    running.set(key, count);
    most = Math.max(most, count);
    await promise;
    running.set(key, count - 1);
    return read();
  };
  const [summarize, getStatuses] = [reader.summarize.bind(reader), reader.getStatuses.bind(reader)];
  reader.summarize = (subject, cluster) =>
    hold(`summarize ${cluster} ${subject.user}`, () => summarize(subject, cluster));
  reader.getStatuses = (subject, keys) => hold("statuses", () => getStatuses(subject, keys));
  return {
    atOnce: () => most,
    release: () => {
      resolve();
      Object.assign(reader, { summarize, getStatuses });
    },
  };
}

function unhealthyIn(stream: TestStream, cluster: string): readonly number[] {
  return (
    stream
      .fleet()
      .clusters.get(cluster)
      ?.objects?.unhealthy.map(({ count }) => count) ?? []
  );
}

test("[PG13] [L13] heartbeats, states and other views go on while rows are read, and rows follow", async () => {
  const stream = await rig.viewer("root").open(fleetView(1), clusterView("a", 2), changesView({}, 3));
  const held = holdReads();
  await rig.send("a", rig.pod("a", "p", "unhealthy"));
  await rig.lose("b");
  await rig.clock.advance(1_500);
  expect(stream.states()).toBe("a:live b:disconnected");
  expect(unhealthyIn(stream, "a")).toEqual([]);
  await rig.advance(30_000, ["a"]);
  const gaps = stream.cameMs.slice(1).map((cameMs, at) => cameMs - (stream.cameMs[at] ?? 0));
  expect(Math.max(...gaps)).toBeLessThanOrEqual(5_500);
  expect(stream.changesUpdates(3).flatMap(({ changes }) => changes)).toEqual([]);
  // One of the fleet and one of the page: no step begins a read before the one before it is done.
  expect(held.atOnce()).toBe(2);
  held.release();
  await rig.advance(1_500, ["a"]);
  expect(unhealthyIn(stream, "a")).toEqual([1]);
  expect(stream.clusterUpdates(2).at(-1)?.unhealthy?.rows).toHaveLength(1);
  expect(stream.changesUpdates(3).flatMap(({ changes }) => changes)).toMatchObject([
    { name: "p", status: "unhealthy" },
  ]);
  await stream.close();
});

test("[PG12] a page that is opened while reads are slow shows the cluster first and its rows later", async () => {
  await rig.send("a", rig.pod("a", "p", "unhealthy"));
  const held = holdReads();
  const stream = await rig.viewer("root").open(fleetView(1), clusterView("a", 2));
  await rig.clock.advance(1_000);
  await settle();
  expect(stream.states()).toBe("a:live b:live");
  expect(stream.clusterUpdates(2)[0]).toMatchObject({ hops: { hubToAgent: { state: "ok" } } });
  expect(stream.clusterUpdates(2)[0]?.unhealthy).toBeUndefined();
  held.release();
  await rig.clock.advance(1_500);
  expect(unhealthyIn(stream, "a")).toEqual([1]);
  expect(stream.clusterUpdates(2).at(-1)?.unhealthy?.rows).toHaveLength(1);
  await stream.close();
});

test("[PG12] [L17] a viewer that loses its right while rows are read is shown nothing of them", async () => {
  rig.authorizer.grants.set("half", { clusters: "all", seesObjects: true });
  const stream = await rig.viewer("half").open(fleetView(1), clusterView("a", 2), changesView({}, 3));
  const held = holdReads();
  await rig.send("a", rig.pod("a", "secret-pod", "unhealthy"));
  rig.authorizer.grants.set("half", { clusters: "all" });
  await rig.advance(6_000);
  held.release();
  await rig.advance(6_000);
  expect(stream.states()).toBe("a:live b:live");
  expect(stream.allText()).not.toContain("secret-pod");
  expect(stream.fleet().clusters.get("a")?.objects).toBeUndefined();
  expect(stream.of(3).at(-1)?.refusal?.code).toBe("PERMISSION_DENIED");
  await stream.close();
});

test("[PG12] a viewer that may read rows sees them at once although others that may not were there before", async () => {
  await rig.send("a", rig.pod("a", "p", "unhealthy"));
  const guest = await rig.viewer("guest").open(fleetView(1), clusterView("a", 2));
  await rig.clock.advance(1_000);
  const root = await rig.viewer("root").open(fleetView(1));
  expect(unhealthyIn(root, "a")).toEqual([1]);
  expect(guest.fleet().clusters.get("a")?.objects).toBeUndefined();
  await guest.close();
  await root.close();
});
