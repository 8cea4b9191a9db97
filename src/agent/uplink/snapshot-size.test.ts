// SPDX-License-Identifier: Apache-2.0
// What a cluster of 50,000 objects costs: in the agent's memory, and once on the wire. A tenth of it is measured, in
// flushes of a tenth: rows cost the same in memory however many there are, and smaller flushes compress worse, so the
// whole costs less than ten times as much.
import { beforeAll, expect, test } from "vitest";
import { createFleetRows } from "../../../bench/support/fleet-rows.ts";
import type { Row } from "../../model/rows/row.ts";
import { Outbox } from "../../session/agent/outbox.ts";
import { planFlush } from "../../session/agent/plan-flush.ts";
import { hasher, sampleTable } from "../../session/agent/testing/sample-rows.ts";
import { pagePacker } from "../page-packer.ts";
import { buildFlush } from "./build-flush.ts";
import { zstd } from "./testing/zstd-codec.ts";

const measuredPart = 1 / 10;
const rowCount = 50_000 * measuredPart;
/** Of 100 rows of the mix 70 are Pods; a few more apps than needed, as each has a drawn number of them. */
const podCount = rowCount * 0.7;
const appCount = rowCount * 0.16;
/** Of the arena a few pages are unpacked, however many there are. */
const unpackedBytes = 9 * 65_536;
const table = sampleTable(pagePacker);
const outbox = new Outbox(table, () => 0);
let jsonBytes = 0;

function toJson({ labels, annotations, columns, rowHash, ...rest }: Row): string {
  const [labelsObject, annotationsObject, columnsObject] = [labels, annotations, columns].map(Object.fromEntries);
  const maps = { labels: labelsObject, annotations: annotationsObject, columns: columnsObject };
  return JSON.stringify({ ...rest, ...maps, rowHash: rowHash.toString(16) });
}

beforeAll(() => {
  for (const { resource, kind: name, columns, rows } of createFleetRows(hasher, appCount)) {
    const kind = table.openKind({ resource, kind: name, columns });
    kind.beginList();
    for (const row of rows.slice(0, name === "Pod" ? podCount : (rowCount - podCount) / 2)) {
      kind.upsert(row);
      jsonBytes += toJson(row).length;
    }
    kind.endList();
  }
});

test("[U-65] the rows of 50,000 objects take less than a fifth of the 40 MiB they may", () => {
  expect(table.kinds.reduce((sum, kind) => sum + kind.rowCount, 0)).toBe(rowCount);
  expect(table.heldBytes).toBeLessThan(8 * 1024 * 1024 * measuredPart + unpackedBytes);
});

test("[U-67] [N-57] a snapshot of them takes at most a quarter of its JSON, in flushes within half of the message limit", async () => {
  const halfLimit = Math.floor(2 * 1024 * 1024 * measuredPart);
  for (const kind of table.kinds) outbox.requestAll(kind);
  outbox.creditBytes = Number.MAX_SAFE_INTEGER;
  let [wireBytes, flushCount] = [0, 0];
  for (let plan = planFlush(table, outbox, halfLimit, 0); plan; plan = planFlush(table, outbox, halfLimit, 0)) {
    const parts = await buildFlush(plan, zstd, hasher);
    const flushBytes = parts.reduce((sum, { batch }) => sum + (batch?.length ?? 0), 0);
    expect(flushBytes).toBeLessThan(halfLimit);
    wireBytes += flushBytes;
    flushCount += 1;
    outbox.send(plan.entries, flushBytes, plan.sinceMs);
    outbox.acknowledge(outbox.lastSeq);
  }
  expect(outbox.waitingCount).toBe(0);
  expect(flushCount).toBeGreaterThan(5);
  expect(wireBytes).toBeLessThan(jsonBytes / 4);
});
