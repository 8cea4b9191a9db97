// SPDX-License-Identifier: Apache-2.0
// The flushes by which an agent brings a whole cluster to the hub, made by the agent's own code: planned, encoded,
// compressed.
import { pagePacker } from "../../src/agent/page-packer.ts";
import { buildFlush } from "../../src/agent/uplink/build-flush.ts";
import { type ClusterId, parseClusterId } from "../../src/model/cluster-id.ts";
import { parseResourceId } from "../../src/model/gvr.ts";
import type { RowBatchContent } from "../../src/model/row-batch/encode.ts";
import type { Codec } from "../../src/model/rows/codec.ts";
import type { Hasher } from "../../src/model/rows/hasher.ts";
import { Outbox } from "../../src/session/agent/outbox.ts";
import { planFlush } from "../../src/session/agent/plan-flush.ts";
import { RowTable } from "../../src/session/agent/row-table.ts";
import type { FlushFacts } from "../../src/session/hub/parsed-request.ts";

/** A flush with the number of its rows. */
export interface CountedFlush {
  readonly flush: FlushFacts;
  readonly rowCount: number;
}

/** Half of the default message limit: where an agent cuts its flushes. */
const maxFlushBytes = 2 * 1024 * 1024;

/** A table whose kinds are complete with these rows. */
export function fillTable(clusterId: ClusterId, contents: readonly RowBatchContent[], hasher: Hasher): RowTable {
  const table = new RowTable({ clusterId, hasher, packer: pagePacker });
  for (const { resource, kind, columns, rows } of contents) {
    const opened = table.openKind({ resource, kind, columns });
    opened.beginList();
    for (const row of rows) opened.upsert(row);
    opened.endList();
  }
  return table;
}

/** All flushes of a first sync to a hub that holds nothing. */
export async function createFlushes(
  contents: readonly RowBatchContent[],
  { codec, hasher }: { readonly codec: Codec; readonly hasher: Hasher },
): Promise<readonly CountedFlush[]> {
  const table = fillTable(parseClusterId("bench"), contents, hasher);
  const outbox = new Outbox(table, () => 0);
  outbox.creditBytes = Number.MAX_SAFE_INTEGER;
  for (const kind of table.kinds) outbox.requestAll(kind);
  const flushes: CountedFlush[] = [];
  for (let plan = planFlush(table, outbox, maxFlushBytes, 0); plan !== undefined; ) {
    const built = await buildFlush(plan, codec, hasher);
    const parts = built.map(({ resource: resourceText = "", replacedBucket = 0, batch = new Uint8Array() }) => {
      return { resource: parseResourceId(resourceText), resourceText, replacedBucket, batch };
    });
    const sizeBytes = parts.reduce((sum, { batch }) => sum + batch.length, 0);
    const rowCount = plan.parts.reduce((sum, { rows }) => sum + rows.length, 0);
    const seq = outbox.send(plan.entries, sizeBytes, 0);
    outbox.acknowledge(seq);
    flushes.push({ flush: { seq, collectedMsAgo: 0, parts, sizeBytes }, rowCount });
    plan = planFlush(table, outbox, maxFlushBytes, 0);
  }
  return flushes;
}
