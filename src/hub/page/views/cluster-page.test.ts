// SPDX-License-Identifier: Apache-2.0
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { settle } from "../../../base/testing/manual-clock.ts";
import type { ClusterUpdate } from "../../../gen/flotilla/page/v1/page_pb.ts";
import { rbacResources } from "../../../model/rbac-resources.ts";
import { setPaused } from "../../clusters/testing/administer.ts";
import { PageRig, pods } from "../testing/page-rig.ts";
import { clusterView, type TestStream } from "../testing/test-viewer.ts";

let rig: PageRig;

beforeEach(async () => {
  rig = await PageRig.start();
});

afterEach(async () => {
  await rig.stop();
  expect(rig.clock.timerCount).toBe(0);
});

type Part = "cluster" | "hops" | "kinds" | "unhealthy" | "history" | "rates";

/** The newest of each part. */
function shown(stream: TestStream): Partial<Pick<ClusterUpdate, Part>> {
  const newest: Partial<Pick<ClusterUpdate, Part>> = {};
  for (const update of stream.clusterUpdates()) Object.assign(newest, partsOf(update));
  return newest;
}

function partsOf({
  cluster,
  hops,
  kinds,
  unhealthy,
  history,
  rates,
}: ClusterUpdate): Partial<Pick<ClusterUpdate, Part>> {
  const all = { cluster, hops, kinds, unhealthy, history, rates };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

async function step(): Promise<void> {
  await rig.clock.advance(500);
  await settle();
}

function hopsOf(stream: TestStream): string {
  const { hubToAgent, agentToApiServer } = shown(stream).hops ?? {};
  return `${hubToAgent?.state} ${hubToAgent?.reason}, ${agentToApiServer?.state} ${agentToApiServer?.reason}`;
}

test("[PG9] the page of a cluster is whole at first, and afterwards has only the parts that changed", async () => {
  await rig.arrive("a");
  const stream = await rig.viewer("root").open(clusterView("a"));
  await step();
  expect(Object.keys(shown(stream)).sort()).toEqual(["cluster", "history", "hops", "kinds", "rates", "unhealthy"]);
  await rig.advance(5_000);
  const { length } = stream.of(1);
  await rig.advance(60_000);
  expect(stream.of(1)).toHaveLength(length);
  await rig.hub.fleet.clusters.update("a", (record) => ({ ...record, labels: new Map([["tier", "gold"]]) }));
  await step();
  expect(Object.keys(partsOf(stream.clusterUpdates().at(-1)!))).toEqual(["cluster", "history"]);
  await stream.close();
});

test("[PG9] a page that comes back gets the parts that changed meanwhile, and no other", async () => {
  await rig.arrive("a");
  const first = await rig.viewer("root").open(clusterView("a"));
  await rig.advance(5_000);
  const position = first.positionOf(1);
  await first.close();
  await rig.advance(5_000);
  await rig.hub.fleet.clusters.update("a", (record) => ({ ...record, labels: new Map([["tier", "gold"]]) }));
  await settle();
  const second = await rig.viewer("root").open(clusterView("a", 1, position));
  expect(second.of(1).map(({ isSnapshot }) => isSnapshot)).toEqual([false]);
  expect(Object.keys(partsOf(second.clusterUpdates()[0]!))).toEqual(["cluster", "history"]);
  await second.close();
  await rig.register("b");
  const other = await rig.viewer("root").open(clusterView("b", 1, position));
  expect(other.of(1).map(({ isSnapshot }) => isSnapshot)).toEqual([true]);
  await other.close();
});

describe("[PG22] the hops", () => {
  test("are told apart: agent there, API server lost, agent lost", async () => {
    await rig.register("a");
    const stream = await rig.viewer("root").open(clusterView("a"));
    expect(hopsOf(stream)).toBe("unknown never, unknown ");
    await rig.arrive("a");
    await step();
    expect(hopsOf(stream)).toBe("ok none, ok none");
    expect(shown(stream).hops?.hubToAgent?.facts).toEqual(["agent-of-a", "1.2.3", "10.0.0.1"]);
    rig.agent("a").beat({ apiServerFault: "tcp" });
    await settle();
    await step();
    expect(hopsOf(stream)).toBe("ok none, lost tcp");
    expect(shown(stream).hops?.agentToApiServer?.sentence).toMatch(/cannot connect to the API server/);
    await rig.lose("a");
    await step();
    expect(hopsOf(stream)).toBe("lost agentLost, unknown ");
    await stream.close();
  });

  test("a heartbeat that is missed makes the first one degraded", async () => {
    await rig.arrive("a");
    const stream = await rig.viewer("root").open(clusterView("a"));
    await rig.clock.advance(8_000);
    expect(hopsOf(stream)).toBe("degraded heartbeatMissed, ok none");
    await stream.close();
  });

  test("[HE25] of a paused cluster the first one is as old as the pause, not as the session", async () => {
    await rig.arrive("a");
    const stream = await rig.viewer("root").open(clusterView("a"));
    rig.agent("a").beat({});
    await rig.clock.advance(3_000);
    await setPaused(rig.hub.fleet, "a", true, rig.clock.wallMs());
    await settle();
    const pausedMs = rig.clock.nowMs();
    await step();
    expect(hopsOf(stream)).toBe("degraded paused, ok none");
    expect(Number(shown(stream).hops?.hubToAgent?.sinceMs)).toBe(pausedMs);
    await stream.close();
  });
});

describe("what is in trouble", () => {
  test("comes as rows, the worst first, and goes when it is well", async () => {
    await rig.arrive("a");
    const stream = await rig.viewer("root").open(clusterView("a"));
    await rig.send("a", rig.pod("a", "p1", "degraded"), rig.pod("a", "p2", "unhealthy"), rig.pod("a", "p3", "healthy"));
    const names = (): unknown =>
      shown(stream).unhealthy?.rows.map(({ name, status, reason }) => [name, status, reason]);
    expect(names()).toEqual([
      ["p2", "unhealthy", "Because"],
      ["p1", "degraded", "Because"],
    ]);
    await rig.send("a", rig.pod("a", "p2", "healthy"));
    expect(names()).toEqual([["p1", "degraded", "Because"]]);
    await stream.close();
  });

  test("is counted whole and shown up to 500 rows", async () => {
    await rig.arrive("a");
    const rows = Array.from({ length: 700 }, (_, at) => rig.pod("a", `p${at}`, at === 650 ? "unhealthy" : "degraded"));
    await rig.send("a", ...rows);
    const stream = await rig.viewer("root").open(clusterView("a"));
    await rig.clock.advance(2_000);
    expect(shown(stream).unhealthy?.totalCount).toBe(700);
    expect(shown(stream).unhealthy?.rows).toHaveLength(500);
    expect(shown(stream).unhealthy?.rows[0]?.name).toBe("p650");
    await stream.close();
  });
});

test("[R-32] the kinds come with state and error in full, and say whose rows are current", async () => {
  const agent = await rig.arrive("a", "", { resources: [pods, ...rbacResources, "uds.dev/exemptions"] });
  const stream = await rig.viewer("root").open(clusterView("a"));
  await rig.send("a", rig.pod("a", "p1", "healthy"));
  const kind = () => shown(stream).kinds?.kinds.find(({ resource }) => resource === pods);
  expect(kind()).toMatchObject({ kind: "Pod", state: "watching", rowCount: 1n });
  expect(shown(stream).kinds?.currentResources).toContain(pods);
  const error = 'exemptions.uds.dev "v1alpha1" not found: the server could not find the requested resource';
  agent.send({
    case: "kindStatuses",
    value: {
      statuses: [
        { resource: "uds.dev/exemptions", state: 5, version: "v1alpha1", fault: "notFound", verb: "list", error },
      ],
    },
  });
  await settle();
  await step();
  const broken = shown(stream).kinds?.kinds.find(({ resource }) => resource === "uds.dev/exemptions");
  expect(broken).toMatchObject({ state: "failed", version: "v1alpha1", verb: "list", error });
  expect(shown(stream).kinds?.currentResources).not.toContain("uds.dev/exemptions");
  expect(shown(stream).cluster?.objects?.failingKinds).toEqual(["uds.dev/exemptions"]);
  await stream.close();
});

test("rates are of the last ten seconds, and nothing is said when nothing comes", async () => {
  await rig.arrive("a");
  const stream = await rig.viewer("root").open(clusterView("a"));
  for (let round = 0; round < 10; round += 1)
    await rig.send("a", rig.pod("a", `p${round}`, "healthy"), rig.pod("a", `q${round}`, "healthy"));
  const [rate] = shown(stream).rates?.rates ?? [];
  expect(rate?.resource).toBe(pods);
  expect(rate?.changesPerSecond).toBeCloseTo(2, 0);
  expect(rate?.bytesPerSecond).toBeGreaterThan(50);
  await rig.advance(15_000);
  expect(shown(stream).rates?.rates).toEqual([]);
  await stream.close();
});

test("[AU9] history has sessions, states and administrative changes of this run and of earlier ones, the newest first", async () => {
  await rig.arrive("a", "", { incarnation: "one" });
  await rig.clock.advance(1_000);
  await rig.lose("a");
  await rig.clock.advance(1_000);
  const whats = (stream: TestStream): readonly string[] =>
    (shown(stream).history?.entries ?? []).map(({ what, state, reason }) => [what, state, reason].join(" ").trim());
  const stream = await rig.viewer("root").open(clusterView("a"));
  await step();
  expect(whats(stream)).toEqual([
    "state disconnected agentLost",
    "ended  streamBroken",
    "state live none",
    "state catchingUp none",
    "accepted",
    "administered  cluster.join",
  ]);
  await rig.arrive("a", "", { incarnation: "one" });
  await step();
  expect(whats(stream)[0]).toBe("state live none");
  const count = whats(stream).length;
  await stream.close();
  await rig.stop();
  rig = await PageRig.start(rig.disk);
  const later = await rig.viewer("root").open(clusterView("a"));
  await step();
  expect(whats(later).length).toBeGreaterThanOrEqual(count);
  expect(whats(later)).toContain("accepted");
  await later.close();
});
