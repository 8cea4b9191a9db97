// SPDX-License-Identifier: Apache-2.0
// Chooses and merges batches of a kind, so that many small changes do not leave many small batches, and replaced rows
// do not hold memory.

import { decodeRowBatch } from "../../model/row-batch/decode.ts";
import { encodeRowBatch } from "../../model/row-batch/encode.ts";
import { maxColumnCount } from "../../model/row-batch/format.ts";
import type { RowBatch } from "../../model/row-batch/row-batch.ts";
import type { Hasher } from "../../model/rows/hasher.ts";
import type { ColumnType, Row } from "../../model/rows/row.ts";
import { type RowSegment, viewOf } from "./row-segment.ts";

/** Rows moved in one step: some 5 ms of encoding and decoding, the longest time a reader waits. */
const maxMovedCount = 512;

/** The number of batches of one size class that are merged. Each row is moved log(rows) times to this base. */
const fanOut = 8;

/** A smaller batch is not compacted alone. Merging by size includes it. */
const smallestEmptiedCount = 64;

/** The segments whose rows move into one new batch, at most `maxMovedCount` rows. */
export interface SegmentMove {
  readonly segments: readonly number[];
}

function tierOf(liveCount: number): number {
  return Math.floor(Math.log2(Math.max(1, liveCount)) / Math.log2(fanOut));
}

/** The next merge, or undefined if the batches are few and full enough. */
export function chooseMove(segments: readonly (RowSegment | undefined)[]): SegmentMove | undefined {
  const tiers: number[][] = [];
  for (const [at, segment] of segments.entries()) {
    if (segment === undefined) continue;
    const { liveCount, live } = segment;
    if (live.length >= smallestEmptiedCount && liveCount * 2 < live.length) return { segments: [at] };
    if (liveCount * fanOut > maxMovedCount) continue;
    const tier = (tiers[tierOf(liveCount)] ??= []);
    tier.push(at);
    if (tier.length === fanOut) return { segments: tier };
  }
  return undefined;
}

/**
 * The columns of all batches by name. Undefined if one name has two types, or if a batch cannot hold that many columns.
 */
function unionColumns(batches: readonly RowBatch[]): ReadonlyMap<string, ColumnType> | undefined {
  const types = new Map<string, ColumnType>();
  for (const { name, type } of batches.flatMap(({ parts }) => parts.columns)) {
    if ((types.get(name) ?? type) !== type) return undefined;
    types.set(name, type);
  }
  if (types.size > maxColumnCount) return undefined;
  return types;
}

function takeRows(segment: RowSegment, rows: Row[]): void {
  const view = viewOf(segment.batch);
  for (let at = 0; at < segment.live.length && rows.length < maxMovedCount; at += 1)
    if (segment.live[at] === 1) rows.push(view.row(at));
}

/**
 * Merges the rows of a move into one batch. Returns undefined if they do not fit into one; they then stay in their
 * batches.
 */
export function mergeBatches(
  move: SegmentMove,
  segments: readonly (RowSegment | undefined)[],
  hasher: Hasher,
): RowBatch | undefined {
  const from = move.segments.flatMap((at) => segments[at] ?? []);
  const columns = unionColumns(from.map(({ batch }) => batch));
  const [first] = from;
  if (columns === undefined || first === undefined) return undefined;
  if (from.some(({ batch }) => batch.kind !== first.batch.kind)) return undefined;
  const rows: Row[] = [];
  for (const segment of from) takeRows(segment, rows);
  const specs = Array.from(columns, ([name, type]) => ({ name, type }));
  const { resource, kind } = first.batch;
  return decodeRowBatch(encodeRowBatch({ resource, kind, columns: specs, rows, deletes: [] }, hasher), hasher);
}
