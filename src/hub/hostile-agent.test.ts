// SPDX-License-Identifier: Apache-2.0
// Everything that an agent can send, at its extremes, while pages look at its cluster: the hub goes on, and a second
// cluster notices nothing (L14).
import { create, toBinary, toJsonString } from "@bufbuild/protobuf";
import { createClient } from "@connectrpc/connect";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { settle } from "../base/testing/manual-clock.ts";
import { ClusterStateService } from "../gen/flotilla/fleet/v1/cluster_state_pb.ts";
import {
  ClusterService,
  ListClustersResponseSchema,
  RowSchema,
  RowService,
} from "../gen/flotilla/fleet/v1/fleet_pb.ts";
import { ConnectRequestSchema, JoinRequestSchema, TunnelRequestSchema } from "../gen/flotilla/session/v1/session_pb.ts";
import { type Row, toResourceVersion } from "../model/rows/row.ts";
import { maxRowTimeMs, minRowTimeMs } from "../model/rows/row-check.ts";
import { extremeMessages } from "../session/hub/testing/extreme-messages.ts";
import { rowsIn } from "./index/testing/in-thread-index.ts";
import { rootTransport } from "./page/testing/cluster-client.ts";
import { PageRig, pods } from "./page/testing/page-rig.ts";
import { changesView, clusterView, fleetView, type TestStream } from "./page/testing/test-viewer.ts";

let rig: PageRig;
let stream: TestStream;

beforeEach(async () => {
  rig = await PageRig.start();
  for (const name of ["good", "bad"]) await rig.arrive(name);
  await rig.send("bad", rig.pod("bad", "first", "unhealthy"));
  stream = await rig
    .viewer("root")
    .open(fleetView(), clusterView("bad", 2), clusterView("good", 3), changesView({}, 4));
  await rig.advance(500);
});

afterEach(async () => {
  await stream.close();
  await rig.stop();
});

/** The bad agent comes back where the hub has ended its session. */
async function returnBad(): Promise<void> {
  if (rig.agent("bad").end.isClosed) await rig.arrive("bad");
}

/** A step of all views, and what must be so after it. */
async function expectUnharmed(after: string): Promise<void> {
  await rig.clock.advance(500);
  rig.agent("good").beat();
  await settle();
  expect(stream.failure, after).toBeUndefined();
  expect(stream.isEnded, after).toBe(false);
  expect(
    stream.messages.filter(({ refusal }) => refusal !== undefined),
    after,
  ).toEqual([]);
  expect(rig.stateOf("good"), after).toBe("live");
  expect(rig.metrics.get("flotilla_task_failures_total", "page entry"), after).toBe(0);
  expect(rig.metrics.get("flotilla_task_failures_total", "page of a cluster"), after).toBe(0);
}

/** What callers of the services are given of the bad cluster, as they would print it. */
async function readBad(): Promise<void> {
  const transport = rootTransport(rig);
  for await (const { rows } of createClient(RowService, transport).listRows({ clusterId: "bad" }))
    for (const row of rows) toJsonString(RowSchema, row);
  for await (const { state } of createClient(ClusterStateService, transport).getClusterState({ clusterId: "bad" }))
    expect(state).toBeDefined();
  toJsonString(ListClustersResponseSchema, await createClient(ClusterService, transport).listClusters({}));
}

describe("a hostile agent", () => {
  test("[L14] [SE55] no number of any message ends the hub, harms another cluster or keeps a page from being sent", async () => {
    for (const { path, message } of extremeMessages(ConnectRequestSchema)) {
      await returnBad();
      rig.agent("bad").sendBytes(toBinary(ConnectRequestSchema, create(ConnectRequestSchema, message)));
      await settle();
      await expectUnharmed(path);
    }
    await readBad();
    await rig.send("good", rig.pod("good", "after", "unhealthy"));
    await rig.advance(1_000);
    expect(stream.fleet().clusters.get("good")?.objects?.unhealthy).toMatchObject([{ resource: pods, count: 1 }]);
  });

  test("[SE55] messages of Join and Tunnel have no numbers; one that gets some is to be tried here too", () => {
    expect([...extremeMessages(JoinRequestSchema), ...extremeMessages(TunnelRequestSchema)]).toEqual([]);
  });

  const numbers = [
    -1,
    2 ** 53 - 1,
    -(2 ** 53 - 1),
    minRowTimeMs - 1,
    minRowTimeMs,
    maxRowTimeMs,
    maxRowTimeMs + 1,
    8.64e15,
  ];
  const texts = [
    "",
    ".",
    "..",
    "a/b",
    "../../../etc",
    "%2e",
    "\u0000",
    "\u001b[2J",
    "\u202egnp",
    "x".repeat(70),
    "y".repeat(2_000),
  ];
  const fields: readonly (readonly [string, (value: number | string) => Partial<Row>, readonly (number | string)[]])[] =
    [
      ["generation", (value) => ({ generation: Number(value) }), numbers],
      ["createdAt", (value) => ({ createdAt: Number(value) }), numbers],
      ["deletedAt", (value) => ({ deletedAt: Number(value) }), numbers],
      ["integer column", (value) => ({ columns: new Map([["replicas", Number(value)]]) }), numbers],
      ["text column", (value) => ({ columns: new Map([["phase", String(value)]]) }), texts],
      ["namespace", (value) => ({ namespace: String(value) }), texts],
      ["name", (value) => ({ name: String(value) }), texts],
      ["uid", (value) => ({ uid: String(value) }), texts],
      ["resourceVersion", (value) => ({ resourceVersion: toResourceVersion(String(value)) }), texts],
      ["reason", (value) => ({ reason: String(value) }), texts],
      ["message", (value) => ({ message: String(value) }), texts],
      ["label", (value) => ({ labels: new Map([[String(value), String(value)]]) }), texts],
      ["owner", (value) => ({ owner: { group: "", kind: String(value), name: String(value), uid: "" } }), texts],
    ];

  test("[L14] [CO64] no field of a row ends the hub, harms another cluster or keeps a page from being sent", async () => {
    for (const [field, change, values] of fields)
      for (const value of values) {
        await returnBad();
        const row = { ...rig.pod("bad", "row", "unhealthy"), ...change(value) };
        await rig.agent("bad").flush([{ resource: pods, rows: [row] }]);
        await settle();
        await expectUnharmed(`${field} ${JSON.stringify(value)}`);
      }
    await readBad();
    const names = new Set(rowsIn(rig.hub.fleet.index, "bad", pods).map(({ name }) => name));
    expect(names).toContain("first");
    for (const name of ["..", "a/b", "../../../etc", "%2e"]) expect(names).not.toContain(name);
  });

  test("[CO70] a flush of thousands of changes comes in several messages, and only the last has its position", async () => {
    const rows = Array.from({ length: 4_500 }, (_, at) => rig.pod("bad", `pod-${at}`, "healthy"));
    await rig.send("bad", ...rows);
    const watch = createClient(RowService, rootTransport(rig)).watchChanges({ clusterIds: ["bad"], isOnce: true });
    const messages: { readonly count: number; readonly position: string }[] = [];
    for await (const { changes, position } of watch) messages.push({ count: changes.length, position });
    const [before, ...pieces] = messages;
    expect(pieces.map(({ count }) => count)).toEqual([2_000, 2_000, 500]);
    expect(pieces.map(({ position }) => position === before?.position)).toEqual([true, true, false]);
  });
});
