// SPDX-License-Identifier: Apache-2.0
import { openFleetLog } from "../../src/store/fleet-log/open-fleet-log.ts";
import type { FleetShape } from "./fleet-shape.ts";
import { loadCluster } from "./load-index.ts";

/** As much as the hub reads at once when it starts. */
const pageBytes = 4 * 1024 * 1024;

/** Folds all rows of a fleet log, as a hub does after its start. Returns their number. */
export async function loadLog(
  index: Parameters<typeof loadCluster>[0],
  shape: FleetShape,
  logFile: string,
): Promise<number> {
  const log = await openFleetLog(logFile);
  const resourcesOf = Map.groupBy(await log.resources(), ({ cluster }) => cluster);
  let rowCount = 0;
  for (const cluster of shape.clusters) {
    const segments = [];
    for (const { resource } of resourcesOf.get(cluster.name) ?? []) {
      const page = await log.load({ cluster: cluster.name, resource, bytesLimit: pageBytes });
      if (page.next !== undefined) throw new Error(`${cluster.name} has more than a page of ${resource}`);
      segments.push(...page.segments.map((segment) => ({ ...segment, resource })));
    }
    rowCount += await loadCluster(index, cluster, segments);
  }
  await log.close();
  return rowCount;
}
