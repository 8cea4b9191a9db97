// SPDX-License-Identifier: Apache-2.0
import type { Row } from "../../model/rows/row.ts";
import { statusRank } from "../../model/status.ts";
import type { WorstRowsRequest } from "./fleet-reader.ts";
import { compareKeys, type RowSegment, viewOf } from "./row-segment.ts";

interface Found {
  readonly segment: RowSegment;
  readonly at: number;
}

/** The live rows of this rank, in key order, which is the order of a batch. */
function* findRank(segment: RowSegment, rank: number): Generator<Found, void, undefined> {
  const { live } = segment;
  const { statuses } = segment.batch.parts.fields;
  for (let at = 0; at < live.length; at += 1) if (live[at] === 1 && statuses[at] === rank) yield { segment, at };
}

/**
 * Merges both lists in key order and returns the first `limit` rows. Reading of a segment stops when the result is
 * full.
 */
function mergeFirst(known: readonly Found[], found: Iterable<Found>, limit: number): Found[] {
  const merged: Found[] = [];
  let next = 0;
  for (const row of found) {
    const place = row.segment.place(row.at);
    for (let other = known[next]; other !== undefined && merged.length < limit; other = known[next]) {
      if (compareKeys(other.segment.place(other.at), place) > 0) break;
      merged.push(other);
      next += 1;
    }
    if (merged.length >= limit) return merged;
    merged.push(row);
  }
  return [...merged, ...known.slice(next)].slice(0, limit);
}

/**
 * The rows of these segments with the requested status or a worse one: worst first, rows of one status in key order.
 */
export function findWorstRows(segments: readonly RowSegment[], { status, limit }: WorstRowsRequest): readonly Row[] {
  const worst: Found[] = [];
  for (let rank = 0; rank <= statusRank(status) && worst.length < limit; rank += 1) {
    let first: Found[] = [];
    for (const segment of segments) first = mergeFirst(first, findRank(segment, rank), limit - worst.length);
    worst.push(...first);
  }
  return worst.map(({ segment, at }) => viewOf(segment.batch).row(at));
}
