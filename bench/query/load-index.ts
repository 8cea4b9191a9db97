// SPDX-License-Identifier: Apache-2.0
import { pauseThread, systemClock } from "../../src/base/time/system-clock.ts";
import { FleetIndex } from "../../src/hub/index/fleet-index.ts";
import type { StoredSegment } from "../../src/hub/index/index-messages.ts";
import { defaultClusterLimits } from "../../src/index/fold/cluster-size.ts";
import { resourceIdText } from "../../src/model/gvr.ts";
import { encodeRowBatch } from "../../src/model/row-batch/encode.ts";
import { createHasher, type Hasher } from "../../src/model/rows/hasher.ts";
import { zstdCodec as codec } from "../../src/rpc/client/zstd-codec.ts";
import { createClusterRows } from "./cluster-rows.ts";
import { type FleetShape, nowMs, type ShapedCluster } from "./fleet-shape.ts";

/** CPU time of this thread. */
export function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** Signs the cursors of the bench. */
export const benchCursorKey = new Uint8Array(32);

/**
 * An index without rows, in this thread, whose queries are asked at the moment of the bench. Their deadline counts CPU
 * time of the thread: other work on the machine does not end them.
 */
export async function createBenchIndex(): Promise<FleetIndex> {
  const hasher = await createHasher();
  const clock = { ...systemClock, nowMs: threadCpuMs, wallMs: () => nowMs };
  return new FleetIndex({
    codec,
    hasher,
    clock,
    cursorKey: benchCursorKey,
    limits: defaultClusterLimits,
    pause: pauseThread,
  });
}

/** The rows of a cluster as the fleet log holds them, a segment for each kind. */
export async function createSegments(
  shape: FleetShape,
  cluster: ShapedCluster,
  hasher: Hasher,
): Promise<readonly StoredSegment[]> {
  const contents = createClusterRows(shape, cluster, hasher);
  return Promise.all(
    contents.map(async (content, at) => ({
      resource: resourceIdText(content.resource),
      form: { kind: "delta" as const },
      position: at + 1,
      receivedAtMs: nowMs,
      bytes: await codec.compress(encodeRowBatch(content, hasher)),
    })),
  );
}

/** Folds the segments of a cluster and shows its rows to users. */
export async function loadCluster(
  index: Pick<FleetIndex, "setFields" | "load" | "setRbacComplete">,
  { name: cluster, region, environment }: ShapedCluster,
  segments: readonly StoredSegment[],
): Promise<number> {
  await index.setFields(cluster, { cluster, region, environment });
  let rowCount = 0;
  for (const segment of segments) {
    const outcome = await index.load(cluster, segment);
    if (outcome.kind === "unreadable") throw new Error(`${cluster} ${segment.resource}: ${outcome.detail}`);
    if (outcome.droppedCount > 0) throw new Error(`${cluster} ${segment.resource}: ${outcome.fault}`);
    rowCount += outcome.rowCount;
  }
  await index.setRbacComplete(cluster, true);
  return rowCount;
}

/** Generates and folds the whole fleet. Returns the number of its rows. */
export async function loadFleet(index: FleetIndex, shape: FleetShape): Promise<number> {
  const hasher = await createHasher();
  let rowCount = 0;
  for (const cluster of shape.clusters)
    rowCount += await loadCluster(index, cluster, await createSegments(shape, cluster, hasher));
  return rowCount;
}
