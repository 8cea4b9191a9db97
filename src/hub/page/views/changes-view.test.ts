// SPDX-License-Identifier: Apache-2.0
import { afterEach, beforeEach, expect, test } from "vitest";
import { settle } from "../../../base/testing/manual-clock.ts";
import type { Row } from "../../../model/rows/row.ts";
import { PageRig, pods } from "../testing/page-rig.ts";
import { changesView, type TestStream } from "../testing/test-viewer.ts";

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

/** What each update told, as `a/ns/name added`. */
function told(stream: TestStream, id = 1): readonly string[][] {
  return stream
    .changesUpdates(id)
    .map(({ changes }) =>
      changes.map(({ clusterId, namespace, name, what }) => `${clusterId}/${namespace}/${name} ${what}`),
    )
    .filter((lines) => lines.length > 0);
}

/** So many Pods of a cluster, in the order of their names. */
function podsOf(cluster: string, prefix: string, count: number): Row[] {
  return Array.from({ length: count }, (_, at) =>
    rig.pod(cluster, `${prefix}${String(at).padStart(4, "0")}`, "healthy"),
  );
}

test("[PG9][PG25] the feed begins with what changed before now and goes on from there, without a gap or a double", async () => {
  const early = await rig.viewer("root").open(changesView());
  expect(early.of(1)).toMatchObject([{ isSnapshot: true, update: new Uint8Array() }]);
  await rig.send("a", rig.pod("a", "before", "healthy"));
  await rig.agent("b").flush([{ resource: pods, rows: [rig.pod("b", "just-before", "healthy")] }]);
  await settle();
  const stream = await rig.viewer("root").open(changesView());
  await rig.agent("a").flush([{ resource: pods, rows: [rig.pod("a", "p1", "unhealthy")] }]);
  await rig.agent("b").flush([{ resource: pods, rows: [rig.pod("b", "p2", "healthy")] }]);
  await settle();
  await rig.clock.advance(500);
  await settle();
  expect(stream.of(1).map(({ isSnapshot }) => isSnapshot)).toEqual([true, false]);
  expect(told(stream)).toEqual([
    ["a/default/before added", "b/default/just-before added"],
    ["a/default/p1 added", "b/default/p2 added"],
  ]);
  expect(told(early).flat()).toEqual(told(stream).flat());
  expect(stream.changesUpdates()[1]?.changes[0]).toMatchObject({ resource: pods, status: "unhealthy" });
  for (const each of [early, stream]) await each.close();
});

test("[PG25] it begins with the newest 200, in their order, however many were before, and says nothing of the rest", async () => {
  for (const prefix of ["x", "y", "z"]) await rig.send("a", ...podsOf("a", prefix, 90));
  const stream = await rig.viewer("root").open(changesView());
  const [start] = stream.changesUpdates();
  const names = start?.changes.map(({ name }) => name) ?? [];
  expect(names).toHaveLength(200);
  expect([names[0], names[19], names[20], names[199]]).toEqual(["x0070", "x0089", "y0000", "z0089"]);
  expect(names).toEqual(names.toSorted());
  expect(start?.leftOutCount).toBe(0);
  await stream.close();
});

test("[PG25] a filter finds what it lets pass behind much that it does not, within a bound of work", async () => {
  await rig.send("b", rig.pod("b", "rare", "healthy", "blue"));
  for (let flush = 0; flush < 9; flush += 1) await rig.send("a", ...podsOf("a", `p${flush}`, 1_000));
  const seen = await rig.viewer("root").open(changesView({ namespaces: ["blue"] }));
  expect(told(seen)).toEqual([["b/blue/rare added"]]);
  await rig.send("a", ...podsOf("a", "more", 1_000));
  const beyond = await rig.viewer("root").open(changesView({ namespaces: ["blue"] }));
  expect(beyond.of(1)).toMatchObject([{ isSnapshot: true, update: new Uint8Array() }]);
  const ofCluster = await rig.viewer("root").open(changesView({ clusterIds: ["b"] }));
  expect(told(ofCluster)).toEqual([["b/blue/rare added"]]);
  for (const each of [seen, beyond, ofCluster]) await each.close();
});

test("[PG12][L2] it begins with nothing of a cluster that the viewer may not see, or whose grants are not complete", async () => {
  rig.authorizer.grants.set("half", { clusters: ["a"], seesObjects: true });
  await rig.send("a", rig.pod("a", "p1", "healthy"));
  await rig.send("b", rig.pod("b", "p2", "healthy"));
  const half = await rig.viewer("half").open(changesView());
  expect(told(half)).toEqual([["a/default/p1 added"]]);
  const guest = await rig.viewer("guest").open(changesView());
  expect(guest.of(1)).toMatchObject([{ refusal: { code: "PERMISSION_DENIED" } }]);
  rig.hub.fleet.fleetRows.setRbacComplete("a", false);
  const root = await rig.viewer("root").open(changesView());
  expect(told(root)).toEqual([["b/default/p2 added"]]);
  for (const each of [half, guest, root]) await each.close();
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

test("[CL3] a kind of the filter has any name that kubectl takes; an unknown cluster or kind is said, with the nearest known one", async () => {
  const stream = await rig
    .viewer("root")
    .open(
      changesView({ resources: ["po"] }, 1),
      changesView({ resources: ["Pod", "deploy.apps"] }, 2),
      changesView({ resources: ["podz"] }, 3),
      changesView({ clusterIds: ["a", "bb"] }, 4),
      changesView({ clusterIds: ["elsewhere"] }, 5),
    );
  await rig.send("a", rig.pod("a", "p1", "healthy"));
  for (const id of [1, 2]) expect(told(stream, id)).toEqual([["a/default/p1 added"]]);
  const refusal = (message: string) => [{ refusal: { code: "NOT_FOUND", message } }];
  expect(stream.of(3)).toMatchObject(refusal('no cluster has a kind "podz"; did you mean "pods"?'));
  expect(stream.of(4)).toMatchObject(refusal('there is no cluster "bb"; leave the filter empty to see all'));
  expect(stream.of(5)).toMatchObject(refusal('there is no cluster "elsewhere"; leave the filter empty to see all'));
  await stream.close();
});

test("[L13] of more than 500 changes the newest come, and the others are counted", async () => {
  const stream = await rig.viewer("root").open(changesView());
  await rig.send("a", ...podsOf("a", "p", 620));
  const update = stream.changesUpdates().at(-1);
  expect(update?.changes).toHaveLength(500);
  expect(update?.leftOutCount).toBe(120);
  await stream.close();
});

test("[PG9] a page that comes back is told what changed meanwhile; with a position of another run it begins anew", async () => {
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
    expect(second.of(2).at(-1)).toMatchObject({ isSnapshot: true });
    expect(told(second, 2).at(-1)).toEqual(["a/default/p1 added", "a/default/p2 added"]);
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

test("[CL3] an unknown kind is refused at once, also to a reader that has every change", async () => {
  await rig.send("a", rig.pod("a", "p1", "healthy"));
  const first = await rig.viewer("root").open(changesView());
  const stream = await rig.viewer("root").open(changesView({ resources: ["bogus"] }, 1, first.positionOf(1)));
  expect(stream.of(1)).toMatchObject([{ refusal: { code: "NOT_FOUND" } }]);
  await first.close();
  await stream.close();
});

test("[L2] nothing is told of a cluster whose grants are not complete", async () => {
  const stream = await rig.viewer("root").open(changesView());
  rig.hub.fleet.fleetRows.setRbacComplete("a", false);
  await rig.agent("a").flush([{ resource: pods, rows: [rig.pod("a", "p1", "healthy")] }]);
  await rig.send("b", rig.pod("b", "p2", "healthy"));
  expect(told(stream)).toEqual([["b/default/p2 added"]]);
  await stream.close();
});
