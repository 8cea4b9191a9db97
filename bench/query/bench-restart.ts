// SPDX-License-Identifier: Apache-2.0
// A hub that starts with the rows of the fleet: its first answer, and until its answers cover every cluster.
import { systemClock as clock } from "../../src/base/time/system-clock.ts";
import { createClusterRecord, toClusterValue } from "../../src/hub/clusters/cluster-record.ts";
import { dataPaths } from "../../src/store/data-directory.ts";
import { openHubStore } from "../../src/store/sqlite/open-hub-store.ts";
import { put } from "../../src/store/store.ts";
import { clusters } from "../../src/store/tables.ts";
import { BenchHub, untilTrue } from "../support/bench-hub.ts";
import { startWithRows } from "../support/hub-start.ts";
import { reportPromise } from "../support/promise.ts";
import type { FleetShape } from "./fleet-shape.ts";

/** Registers the clusters in the store of a hub that does not run, as joined ones whose grants were complete. */
export async function registerClusters(hubFolder: string, shape: FleetShape): Promise<void> {
  const paths = dataPaths(hubFolder);
  const files = { file: paths.hubDb, keyFile: paths.keyFile, encryptedResources: [] };
  const store = await openHubStore(files, { clock });
  for (const { name: id, number, region, environment } of shape.clusters) {
    const record = createClusterRecord({
      id,
      metadata: { region, environment, version: "0.1.0", kubernetesVersion: "v1.34.0", labels: new Map() },
      clusterUid: `bench-${number}`,
      isApproved: true,
      source: "agent",
      createdAtMs: clock.wallMs(),
      publicKey: Uint8Array.from({ length: 32 }, (_, at) => (at < 4 ? number >> (8 * at) : 1)),
    });
    const value = toClusterValue({ ...record, rbacCompleteAtMs: clock.wallMs() });
    const outcome = await store.commit([put(clusters, [store.workspace, id], value, "absent")]);
    if (outcome.kind !== "committed") throw new Error(`${id} cannot be registered`);
  }
  await store.close();
}

/** Starts a hub in a folder whose `hub` has a fleet log with so many rows and the registered clusters. */
export async function benchRestart(program: string, folder: string, rowCount: number): Promise<void> {
  await using hub = new BenchHub(program, folder);
  const sinceStartMs = (): number => performance.now() - hub.process.startedMs;
  let [answeredMs, sentence, coveredMs, total] = [0, "", 0, 0n];
  const start = await startWithRows(hub, rowCount, async () => {
    await untilTrue("every cluster in an answer", async () => {
      const { coverage, total: count } = await hub.listObjects("status=unhealthy");
      if (answeredMs === 0) [answeredMs, sentence] = [sinceStartMs(), coverage?.sentence ?? ""];
      [coveredMs, total] = [sinceStartMs(), count];
      return coverage?.readCount === coverage?.clusterCount;
    });
  });
  reportPromise({
    bench: "query",
    what: `hub restart with ${rowCount} rows, until an answer covers every cluster`,
    ours: Math.max(coveredMs, start.loadedMs) / 1_000,
    unit: "s",
    against: { kind: "atMost", value: 15 },
    more: { cpuSeconds: start.cpuSeconds, unhealthyCount: Number(total), rssMib: start.rssMib, peakMib: start.peakMib },
  });
  reportPromise({
    bench: "query",
    what: "hub restart, until its first answer",
    ours: answeredMs / 1_000,
    unit: "s",
    against: { kind: "atMost", value: 1 },
    more: { readySeconds: start.readyMs / 1_000, coverage: sentence },
  });
}
