// SPDX-License-Identifier: Apache-2.0
import { afterEach, beforeEach, expect, test } from "vitest";
import { settle } from "../../base/manual-clock.ts";
import { PageRig, pods } from "./testing/page-rig.ts";
import { changesView, type TestStream } from "./testing/test-viewer.ts";

let rig: PageRig;

beforeEach(async () => {
  rig = await PageRig.start();
  await rig.arrive("a");
  await rig.arrive("b");
});

afterEach(async () => {
  await rig.stop();
  expect(rig.clock.timerCount).toBe(0);
});

/** What each update after the first told, as `a/ns/name added`. */
function told(stream: TestStream, id = 1): readonly string[][] {
  return stream
    .changesUpdates(id)
    .map(({ changes }) =>
      changes.map(({ clusterId, namespace, name, what }) => `${clusterId}/${namespace}/${name} ${what}`),
    )
    .filter((lines) => lines.length > 0);
}

test("[PG9] the feed begins now, with nothing, and tells what changes from then on", async () => {
  await rig.send("a", rig.pod("a", "before", "healthy"));
  const stream = await rig.viewer("root").open(changesView());
  expect(stream.of(1)).toMatchObject([{ isSnapshot: true, update: new Uint8Array() }]);
  await rig.agent("a").flush([{ resource: pods, rows: [rig.pod("a", "p1", "unhealthy")] }]);
  await rig.agent("b").flush([{ resource: pods, rows: [rig.pod("b", "p2", "healthy")] }]);
  await settle();
  await rig.clock.advance(500);
  await settle();
  expect(told(stream)).toEqual([["a/default/p1 added", "b/default/p2 added"]]);
  expect(stream.changesUpdates()[1]?.changes[0]).toMatchObject({ resource: pods, status: "unhealthy" });
  await stream.close();
});

test("filters by cluster, namespace and kind leave out the rest, without a message", async () => {
  const stream = await rig
    .viewer("root")
    .open(
      changesView({ clusterIds: ["b"] }, 1),
      changesView({ namespaces: ["blue"] }, 2),
      changesView({ resources: ["apps/deployments"] }, 3),
    );
  await rig.send("a", rig.pod("a", "p1", "healthy", "blue"), rig.pod("a", "p2", "healthy", "red"));
  await rig.send("b", rig.pod("b", "p3", "healthy", "red"));
  expect(told(stream, 1)).toEqual([["b/red/p3 added"]]);
  expect(told(stream, 2)).toEqual([["a/blue/p1 added"]]);
  expect(stream.of(3)).toHaveLength(1);
  await stream.close();
});

test("[L13] of more than 500 changes the newest come, and the others are counted", async () => {
  const stream = await rig.viewer("root").open(changesView());
  const rows = Array.from({ length: 620 }, (_, at) => rig.pod("a", `p${String(at).padStart(4, "0")}`, "healthy"));
  await rig.send("a", ...rows);
  const update = stream.changesUpdates().at(-1);
  expect(update?.changes).toHaveLength(500);
  expect(update?.leftOutCount).toBe(120);
  await stream.close();
});

test("[PG9] a page that comes back is told what changed meanwhile; with a position of another run it begins now", async () => {
  const first = await rig.viewer("root").open(changesView());
  await rig.send("a", rig.pod("a", "p1", "healthy"));
  const position = first.positionOf(1);
  await first.close();
  await rig.send("a", rig.pod("a", "p2", "healthy"));
  const second = await rig.viewer("root").open(changesView({}, 1, position));
  expect(second.of(1).map(({ isSnapshot }) => isSnapshot)).toEqual([false]);
  expect(told(second)).toEqual([["a/default/p2 added"]]);
  for (const strange of ["feed_other.1", `${position}9999`, "nothing", "__proto__.1"]) {
    await second.subscribe(changesView({}, 2, strange));
    expect(second.of(2).at(-1)).toMatchObject({ isSnapshot: true, update: new Uint8Array() });
  }
  await second.close();
});

test("[PG11] viewers who look through the same filter share what is encoded", async () => {
  const streams = [
    await rig.viewer("root", "t1").open(changesView()),
    await rig.viewer("root", "t2").open(changesView()),
  ];
  await rig.send("a", rig.pod("a", "p1", "healthy"));
  const size = streams[0]?.of(1).at(-1)?.update.length ?? 0;
  expect(size).toBeGreaterThan(0);
  expect(rig.metrics.get("flotilla_page_encoded_bytes_total", "changes")).toBe(size);
  for (const stream of streams) {
    expect(told(stream)).toEqual([["a/default/p1 added"]]);
    await stream.close();
  }
});

test("[L2] nothing is told of a cluster whose grants are not complete", async () => {
  const stream = await rig.viewer("root").open(changesView());
  rig.hub.fleet.picture.setRbacComplete("a", false);
  await rig.agent("a").flush([{ resource: pods, rows: [rig.pod("a", "p1", "healthy")] }]);
  await rig.send("b", rig.pod("b", "p2", "healthy"));
  expect(told(stream)).toEqual([["b/default/p2 added"]]);
  await stream.close();
});
