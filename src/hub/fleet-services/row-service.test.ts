// SPDX-License-Identifier: Apache-2.0
import { createClient } from "@connectrpc/connect";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ClusterStateService } from "../../gen/flotilla/fleet/v1/cluster_state_pb.ts";
import { RowService } from "../../gen/flotilla/fleet/v1/fleet_pb.ts";
import { clusterClient, rootTransport } from "../page/testing/cluster-client.ts";
import { PageRig } from "../page/testing/page-rig.ts";

let rig: PageRig;

beforeEach(async () => {
  rig = await PageRig.start();
  await rig.arrive("east");
  await rig.send("east", rig.pod("east", "web", "unhealthy"));
});

afterEach(() => rig.stop());

async function toArray<T>(values: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const value of values) all.push(value);
  return all;
}

function readAll() {
  const transport = rootTransport(rig);
  const rows = createClient(RowService, transport);
  return {
    rows: () => toArray(rows.listRows({ clusterId: "east" })),
    state: () => toArray(createClient(ClusterStateService, transport).getClusterState({ clusterId: "east" })),
    changes: () => toArray(rows.watchChanges({ isOnce: true })),
    cluster: async () => (await clusterClient(rig).getCluster({ id: "east" })).cluster,
  };
}

test("[L2] rows, state and changes of a cluster are not listed before its RBAC rows are complete", async () => {
  const read = readAll();
  expect((await read.rows()).flatMap(({ rows }) => rows)).toMatchObject([{ name: "web", status: "unhealthy" }]);
  expect((await read.state()).at(-1)?.isLast).toBe(true);
  expect((await read.changes()).flatMap(({ changes }) => changes)).toMatchObject([
    { name: "web", status: "unhealthy" },
  ]);
  expect((await read.cluster())?.kinds.find(({ resource }) => resource === "pods")?.unhealthyCount).toBe(1);

  rig.hub.fleet.fleetRows.setRbacComplete("east", false);
  const sentence = "rows of east are shown when its RBAC objects are complete; try again when it is live";
  await expect(read.rows()).rejects.toThrow(sentence);
  await expect(read.state()).rejects.toThrow(sentence);
  expect((await read.changes()).flatMap(({ changes }) => changes)).toEqual([]);
  const shown = await read.cluster();
  expect(shown?.rowCount).toBe(0n);
  expect(shown?.kinds.find(({ resource }) => resource === "pods")).toMatchObject({ rowCount: 0n, unhealthyCount: 0 });
});

test("[PG12] [L17] a caller that may not list rows gets neither counts nor kinds, and no row", async () => {
  const read = readAll();
  rig.authorizer.grants.set("root", { clusters: "all" });
  const shown = await read.cluster();
  expect(shown).toMatchObject({ objectsHidden: true, rowCount: 0n, kinds: [] });
  for (const refused of [read.rows, read.state, read.changes])
    await expect(refused()).rejects.toMatchObject({ rawMessage: expect.stringContaining("no permission") as string });
});
