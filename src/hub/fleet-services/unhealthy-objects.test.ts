// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { clusterClient } from "../page/testing/cluster-client.ts";
import { PageRig, pods } from "../page/testing/page-rig.ts";

async function podsOf(rig: PageRig): Promise<unknown> {
  const { cluster } = await clusterClient(rig).getCluster({ id: "east" });
  const kind = cluster?.kinds.find(({ resource }) => resource === pods);
  const agoMs = kind?.troubledMsAgo === undefined ? undefined : Number(kind.troubledMsAgo);
  return { unhealthy: kind?.unhealthyCount, degraded: kind?.degradedCount, agoMs };
}

test("[HE18] [HE19] dead workloads reach the cluster's kinds and the metrics, with since when they are dead, also after a restart", async () => {
  const rig = await PageRig.start();
  await rig.arrive("east");
  await rig.send("east", rig.pod("east", "web", "healthy"), rig.pod("east", "db", "unhealthy"));
  await rig.advance(60_000);
  // The row of db changes and its status stays: it is as long unhealthy as before.
  const again = rig.pod("east", "db", "unhealthy", "default");
  await rig.send("east", { ...again, message: "still" }, rig.pod("east", "api", "degraded"));
  await rig.advance(5_000);
  const { agoMs, ...counts } = (await podsOf(rig)) as { readonly agoMs: number };
  expect(counts).toEqual({ unhealthy: 1, degraded: 1 });
  expect(agoMs).toBeGreaterThanOrEqual(65_000);
  expect(rig.metrics.get("flotilla_cluster_objects", "east", "Thing", "unhealthy")).toBe(1);
  await rig.stop();

  const next = await PageRig.start(rig.disk);
  await next.clock.advance(5_000);
  expect(await podsOf(next)).toEqual({ unhealthy: 1, degraded: 1, agoMs: expect.any(Number) as number });
  expect(((await podsOf(next)) as { readonly agoMs: number }).agoMs).toBeGreaterThanOrEqual(agoMs);
  await next.stop();
});

test("[HE19] a gauge of objects that are well again, and of a cluster that was removed, is 0", async () => {
  const rig = await PageRig.start();
  await rig.arrive("east");
  await rig.send("east", rig.pod("east", "db", "unhealthy"));
  await rig.clock.advance(5_000);
  const gauge = (): number => rig.metrics.get("flotilla_cluster_objects", "east", "Thing", "unhealthy");
  expect(gauge()).toBe(1);
  await rig.send("east", rig.pod("east", "db", "healthy"));
  await rig.clock.advance(5_000);
  expect(gauge()).toBe(0);
  await rig.stop();
});
