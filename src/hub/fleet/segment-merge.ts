// SPDX-License-Identifier: Apache-2.0
// Which batches of a kind are put together, and how: so that many small changes do not end in many small batches, and that
// rows which no longer count do not fill the memory.
import type { Hasher } from "../../model/hasher.ts";
import type { ColumnType, Row } from "../../model/row.ts";
import { decodeRowBatch } from "../../model/row-batch/decode.ts";
import { encodeRowBatch } from "../../model/row-batch/encode.ts";
import { maxColumnCount } from "../../model/row-batch/format.ts";
import type { RowBatch } from "../../model/row-batch/row-batch.ts";
import { type RowSegment, viewOf } from "./row-segment.ts";

/** Rows moved in one piece: some 5 ms of encoding and decoding, so readers wait no longer. */
const maxMovedCount = 512;

/** Batches of one size that are merged: each row is moved log(rows) to this base times. */
const fanOut = 8;

/** A batch below this is not worth emptying by itself; merging by size takes it along. */
const smallestEmptiedCount = 64;

/** Rows of these segments are to be put into one new batch, at most `maxMovedCount` of them. */
export interface SegmentMove {
  readonly segments: readonly number[];
}

function tierOf(liveCount: number): number {
  return Math.floor(Math.log2(Math.max(1, liveCount)) / Math.log2(fanOut));
}

/** The next piece of work, or undefined when the batches are few and full enough. */
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

/** Columns of all these batches by name; undefined when one name has two types, or when they are more than a batch can hold. */
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

/** The rows of a move in one batch; undefined when they do not fit together, so that they stay where they are. */
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
