// SPDX-License-Identifier: Apache-2.0
import { createSeededRandom } from "../../src/base/random.ts";
import type { SentPart } from "../../src/hub/index/index-messages.ts";
import { podKind } from "../../src/kinds/pod-kind.ts";
import { parseClusterId } from "../../src/model/cluster-id.ts";
import { encodeRowBatch } from "../../src/model/row-batch/encode.ts";
import { createHasher } from "../../src/model/rows/hasher.ts";
import { type ColumnValue, type Row, toResourceVersion } from "../../src/model/rows/row.ts";
import { RowSealer } from "../../src/model/rows/row-sealer.ts";
import { zstdCodec as codec } from "../../src/rpc/client/zstd-codec.ts";
import { createClusterRows } from "./cluster-rows.ts";
import type { FleetShape } from "./fleet-shape.ts";

/** Changes of Pods of one cluster, as its agent sends them. */
export interface DeltaFlush {
  readonly cluster: string;
  readonly parts: readonly SentPart[];
}

/** The clusters that change; others would only make the rows of the flushes take longer to generate. */
const changingClusterCount = 20;

/** Flushes of changed Pods: more restarts, and every tenth fails or works again. Clusters take turns. */
export async function createDeltaFlushes(
  shape: FleetShape,
  flushCount: number,
  rowsPerFlush: number,
): Promise<readonly DeltaFlush[]> {
  const hasher = await createHasher();
  const random = createSeededRandom("deltas-1");
  const changing = shape.clusters.slice(0, changingClusterCount).map((cluster) => {
    const contents = createClusterRows(shape, cluster, hasher);
    const pods = contents.find(({ kind }) => kind === podKind.kind);
    if (pods === undefined) throw new Error(`${cluster.name} has Pods`);
    return { cluster: cluster.name, pods, sealer: new RowSealer(parseClusterId(cluster.name), pods.resource, hasher) };
  });
  const flushes: DeltaFlush[] = [];
  for (let serial = 0; serial < flushCount; serial += 1) {
    const source = changing[serial % changing.length];
    if (source === undefined) break;
    const chosen = new Set(Array.from({ length: rowsPerFlush }, () => random.int(source.pods.rows.length)));
    const rows = Array.from(chosen, (at) => source.pods.rows[at])
      .filter((row) => row !== undefined)
      .map((row) => source.sealer.seal(change(row, serial)));
    const bytes = await codec.compress(encodeRowBatch({ ...source.pods, rows }, hasher));
    flushes.push({ cluster: source.cluster, parts: [{ resource: "pods", replacedBucket: 0, bytes }] });
  }
  return flushes;
}

function change(row: Row, serial: number): Row {
  const isFailing = serial % 10 === 0;
  const failing = { status: "unhealthy", reason: "CrashLoopBackOff", message: "back-off 10s restarting" } as const;
  return {
    ...row,
    ...(isFailing ? failing : { status: "healthy", reason: "", message: "" }),
    resourceVersion: toResourceVersion(String(500_000_000 + serial)),
    columns: new Map<string, ColumnValue>([...row.columns, ["restarts", serial % 400]]),
  };
}
