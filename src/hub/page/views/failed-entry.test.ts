// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import type { ClusterSummary } from "../../rows/fleet-reader.ts";
import { PageRig } from "../testing/page-rig.ts";
import { clusterView, fleetView } from "../testing/test-viewer.ts";
import { failedEntrySentence } from "./failed-entry.ts";

function withRowCount(summary: ClusterSummary, rowCount: number): ClusterSummary {
  return { ...summary, rowCount, kinds: summary.kinds.map((kind) => ({ ...kind, rowCount })) };
}

test.each([
  // A number that no message can hold, as if a check had let it through.
  ["cannot be encoded", (summary: ClusterSummary) => withRowCount(summary, Number.NaN)],
  ["cannot be read", () => Promise.reject(new Error("the read failed"))],
])(
  "[PG30] [L14] a cluster that %s costs its own entry and page; the hub and the other clusters go on",
  async (_, toBroken) => {
    const rig = await PageRig.start();
    for (const name of ["good", "bad"]) await rig.arrive(name);
    const { reader } = rig.hub.fleet;
    let isBroken = true;
    const summarize = reader.summarize.bind(reader);
    reader.summarize = async (subject, cluster) => {
      const summary = await summarize(subject, cluster);
      return isBroken && cluster === "bad" && summary !== undefined ? toBroken(summary) : summary;
    };
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
  },
);
