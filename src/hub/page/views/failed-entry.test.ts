// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { PageRig } from "../testing/page-rig.ts";
import { clusterView, fleetView } from "../testing/test-viewer.ts";
import { failedEntrySentence } from "./failed-entry.ts";

test("[PG30] [L14] a cluster that cannot be encoded costs its own entry and page; the hub and the other clusters go on", async () => {
  const rig = await PageRig.start();
  for (const name of ["good", "bad"]) await rig.arrive(name);
  const { fleetRows } = rig.hub.fleet;
  let isBroken = true;
  // A number that no message can hold, as if a check had let it through.
  const kinds = fleetRows.kinds.bind(fleetRows);
  fleetRows.kinds = (cluster) =>
    kinds(cluster).map((kind) => (isBroken && cluster === "bad" ? { ...kind, rowCount: Number.NaN } : kind));
  await rig.send("bad", rig.pod("bad", "web", "unhealthy"));
  const stream = await rig.viewer("root").open(fleetView(), clusterView("bad", 2), clusterView("good", 3));
  await rig.advance(1_000);
  expect(stream.states()).toBe("bad:unknown good:live");
  expect(stream.fleet().clusters.get("bad")?.connection?.sentence).toBe(failedEntrySentence);
  expect(stream.of(2).at(-1)?.refusal).toMatchObject({ code: "INTERNAL" });
  expect(rig.metrics.get("flotilla_task_failures_total", "page entry")).toBeGreaterThan(1);

  await rig.send("good", rig.pod("good", "web", "unhealthy"));
  await rig.advance(1_000);
  expect(stream.fleet().clusters.get("good")?.objects?.unhealthy).toMatchObject([{ resource: "pods", count: 1 }]);
  const shown = stream.clusterUpdates(3).findLast(({ unhealthy }) => unhealthy !== undefined);
  expect(shown?.unhealthy?.rows).toHaveLength(1);

  isBroken = false;
  await rig.advance(1_000);
  expect(stream.states()).toBe("bad:live good:live");
  await stream.subscribe(clusterView("bad", 4));
  await rig.advance(1_000);
  expect(stream.clusterUpdates(4)[0]?.unhealthy?.rows).toHaveLength(1);
  await stream.close();
  await rig.stop();
});
