// SPDX-License-Identifier: Apache-2.0
import { assert } from "../../base/assert.ts";
import { KeyIndex, type RowRef } from "../../index/table/key-index.ts";
import { maxRowCount } from "../../model/row-batch/format.ts";
import type { RowBatch } from "../../model/row-batch/row-batch.ts";
import { parseBucketCode, sessionBucketCount } from "../../model/rows/bucket.ts";
import { BucketDigests, type Digest } from "../../model/rows/digest.ts";
import type { Hasher } from "../../model/rows/hasher.ts";
import type { Row } from "../../model/rows/row.ts";
import { statuses } from "../../model/status.ts";
import type { ChangeKind, WorstRowsRequest } from "./fleet-reader.ts";
import type { FoldPart } from "./fold-types.ts";
import { hashKey, isSameKey, isSameObject, type KeyPlace, RowSegment, SegmentSnapshot, viewOf } from "./row-segment.ts";
import { chooseMove, mergeBatches } from "./segment-merge.ts";
import { isTroubleRank, TroubleTimes } from "./trouble-times.ts";
import { findWorstRows } from "./worst-rows.ts";

/** Called for each change, with the place of its key in a batch. A removed row may lie in an older batch. */
export type ChangeSink = (kind: ChangeKind, place: KeyPlace) => void;

/** Rows processed in one step: about 3 ms, the longest time a reader waits. */
export const stepRowCount = 2_048;

function toRef(segment: number, at: number): RowRef {
  return segment * maxRowCount + at;
}

/** Divides `count` rows into ranges of at most `stepRowCount`. */
function* inSteps(count: number): Generator<readonly [number, number], void, undefined> {
  for (let from = 0; from < count; from += stepRowCount) yield [from, Math.min(count, from + stepRowCount)];
}

/**
 * The rows of one (cluster, resource): their batches, the live rows of each batch, and an index by key. A batch without
 * live rows is released. Small and half-empty batches are merged, a bounded number of rows with each change.
 */
export class FoldedKind {
  readonly #hasher: Hasher;
  #segments: (RowSegment | undefined)[] = [];
  #index = new KeyIndex();
  /** One element. A typed array wraps at 64 bits by itself and allocates no number per row. */
  #sum = new BigUint64Array(1);
  /** The number of rows per status rank. */
  #statusCounts = new Uint32Array(statuses.length);
  #kind = "";
  /** The memory of the held batches. */
  #batchBytes = 0;
  #troubles = new TroubleTimes();

  constructor(hasher: Hasher) {
    this.#hasher = hasher;
  }

  /**
   * Copies the rows for changing while readers use the original, with room in the index for `moreCount` more rows. The
   * copy takes some 30 bytes a row; batches are shared. Copies in steps, between which the original must not change.
   */
  *forkInSteps(moreCount: number): Generator<void, FoldedKind, undefined> {
    const forked = new FoldedKind(this.#hasher);
    forked.#segments = this.#segments.map((segment) => segment?.fork());
    forked.#index = yield* this.#index.forkInSteps(moreCount);
    forked.#sum = this.#sum.slice();
    forked.#statusCounts = this.#statusCounts.slice();
    forked.#kind = this.#kind;
    forked.#batchBytes = this.#batchBytes;
    forked.#troubles = this.#troubles.fork();
    return forked;
  }

  get digest(): Digest {
    return { rowCount: this.#index.count, sum: this.#sum[0] ?? 0n };
  }

  /** The kind's name in the newest rows; "" before the first row. */
  get kind(): string {
    return this.#kind;
  }

  /** The times since when rows are in trouble. Its `settle` sets the receive time of noted changes. */
  get troubles(): TroubleTimes {
    return this.#troubles;
  }

  /** The number of rows with the status of this rank. */
  statusCount(rank: number): number {
    return this.#statusCounts[rank] ?? 0;
  }

  worstRows(request: WorstRowsRequest): readonly Row[] {
    return findWorstRows(this.#held(), request);
  }

  get rowCount(): number {
    return this.#index.count;
  }

  /** The memory of the rows and of the index over them. */
  get sizeBytes(): number {
    return this.#batchBytes + this.#index.sizeBytes;
  }

  /** The number of held batches, and the bytes of the index. */
  get cost(): { readonly segmentCount: number; readonly indexBytes: number } {
    return { segmentCount: this.#held().length, indexBytes: this.#index.sizeBytes };
  }

  bucketDigests(): readonly Digest[] {
    const digests = new BucketDigests(sessionBucketCount);
    this.#index.forEach((ref, bucket) => digests.add(bucket, this.#segment(ref).batch.rowHash(ref % maxRowCount)));
    return digests.list();
  }

  /** Whether applying the part now would change any row. */
  wouldChange({ batch, form }: FoldPart): boolean {
    const { strings, fields, deletes } = batch.parts;
    for (let at = 0; at < batch.deleteCount; at += 1)
      if (this.#findObject({ strings, keys: deletes, at }) !== -1) return true;
    for (let at = 0; at < batch.rowCount; at += 1) {
      const slot = this.#find({ strings, keys: fields, at });
      if (slot === -1 || !this.#isEqualRow(this.#index.refAt(slot), batch, at)) return true;
    }
    return form.kind === "replace" && this.#refsInBucket(form.bucket).length !== batch.rowCount;
  }

  /** Applies a part synchronously. */
  apply(part: FoldPart, changed: ChangeSink): void {
    for (const _ of this.applyInSteps(part, changed));
  }

  /** Applies a part in steps of `stepRowCount` rows. Inconsistent between steps; call only on a fork. */
  *applyInSteps({ batch, form }: FoldPart, changed: ChangeSink): Generator<void, void, undefined> {
    const inBucket = form.kind === "replace" ? this.#refsInBucket(form.bucket) : [];
    for (const [from, end] of inSteps(batch.deleteCount)) {
      this.#applyDeletes(batch, from, end, changed);
      yield;
    }
    if (batch.rowCount > 0) this.#kind = batch.kind;
    const kept = new Set<RowRef>();
    const segment = new RowSegment(batch);
    const segmentAt = this.#addSegment(segment);
    for (const [from, end] of inSteps(batch.rowCount)) {
      for (let at = from; at < end; at += 1) this.#upsert(segmentAt, segment, at, changed, kept);
      yield;
    }
    for (const [from, end] of inSteps(inBucket.length)) {
      for (let at = from; at < end; at += 1) this.#removeUnnamed(inBucket[at] ?? 0, kept, changed);
      yield;
    }
    this.#release(segmentAt);
    if (this.#tidy()) yield;
  }

  get(key: KeyPlace): Row | undefined {
    const slot = this.#find(key);
    if (slot === -1) return undefined;
    const ref = this.#index.refAt(slot);
    return viewOf(this.#segment(ref).batch).row(ref % maxRowCount);
  }

  snapshot(): readonly SegmentSnapshot[] {
    return this.#held().map((segment) => new SegmentSnapshot(segment));
  }

  #held(): readonly RowSegment[] {
    return this.#segments.filter((segment) => segment !== undefined);
  }

  #applyDeletes(batch: RowBatch, from: number, end: number, changed: ChangeSink): void {
    const { strings, deletes } = batch.parts;
    for (let at = from; at < end; at += 1) {
      const slot = this.#findObject({ strings, keys: deletes, at });
      if (slot !== -1) this.#remove(slot, changed);
    }
  }

  /** Inserts or replaces a row. The ref of a row that is equal already is added to `kept`. */
  #upsert(segmentAt: number, segment: RowSegment, at: number, changed: ChangeSink, kept: Set<RowRef>): void {
    const { batch } = segment;
    const place = segment.place(at);
    const hash = hashKey(place);
    const slot = this.#findHashed(hash, place);
    const rank = batch.parts.fields.statuses[at] ?? 0;
    if (slot === -1) {
      this.#index.insert(hash, toRef(segmentAt, at));
      changed("added", place);
      if (isTroubleRank(rank)) this.#troubles.note(place, rank, false);
    } else {
      const ref = this.#index.refAt(slot);
      if (this.#isEqualRow(ref, batch, at)) {
        kept.add(ref);
        return;
      }
      this.#tellReplaced(ref, place, changed);
      if (isTroubleRank(rank) || isTroubleRank(this.#rankOf(ref)))
        this.#troubles.note(place, rank, isSameObject(this.#segment(ref).place(ref % maxRowCount), place));
      this.#forget(ref);
      this.#index.setRef(slot, toRef(segmentAt, at));
    }
    segment.keep(at);
    this.#sum[0] = (this.#sum[0] ?? 0n) + batch.rowHash(at);
    this.#countStatus(segment, at, 1);
  }

  /** Removes a row of a replaced bucket unless the replacement contains it. */
  #removeUnnamed(ref: RowRef, kept: ReadonlySet<RowRef>, changed: ChangeSink): void {
    const segment = this.#segments[Math.floor(ref / maxRowCount)];
    const at = ref % maxRowCount;
    if (segment === undefined || segment.live[at] !== 1 || kept.has(ref)) return;
    const slot = this.#find(segment.place(at));
    if (slot !== -1 && this.#index.refAt(slot) === ref) this.#remove(slot, changed);
  }

  #tellReplaced(ref: RowRef, place: KeyPlace, changed: ChangeSink): void {
    const old = this.#segment(ref).place(ref % maxRowCount);
    if (isSameObject(old, place)) changed("changed", place);
    else {
      changed("removed", old);
      changed("added", place);
    }
  }

  #remove(slot: number, changed: ChangeSink): void {
    const ref = this.#index.refAt(slot);
    const place = this.#segment(ref).place(ref % maxRowCount);
    changed("removed", place);
    if (isTroubleRank(this.#rankOf(ref))) this.#troubles.remove(place);
    this.#index.removeAt(slot);
    this.#forget(ref);
  }

  /** Removes a row from its segment, the digest and the counts. The caller updates the index. */
  #forget(ref: RowRef): void {
    const segment = this.#segment(ref);
    this.#sum[0] = (this.#sum[0] ?? 0n) - segment.batch.rowHash(ref % maxRowCount);
    this.#countStatus(segment, ref % maxRowCount, -1);
    segment.drop(ref % maxRowCount);
    this.#release(Math.floor(ref / maxRowCount));
  }

  #rankOf(ref: RowRef): number {
    return this.#segment(ref).batch.parts.fields.statuses[ref % maxRowCount] ?? 0;
  }

  #countStatus({ batch }: RowSegment, at: number, by: 1 | -1): void {
    const rank = batch.parts.fields.statuses[at] ?? 0;
    this.#statusCounts[rank] = this.statusCount(rank) + by;
  }

  #addSegment(segment: RowSegment): number {
    const free = this.#segments.indexOf(undefined);
    const at = free === -1 ? this.#segments.length : free;
    this.#segments[at] = segment;
    this.#batchBytes += segment.batch.parts.heldBytes;
    return at;
  }

  /**
   * Releases a segment without live rows. The segment being filled may still be empty, so `applyInSteps` ends with this
   * call too.
   */
  #release(segmentAt: number): void {
    const segment = this.#segments[segmentAt];
    if (segment?.liveCount !== 0) return;
    this.#segments[segmentAt] = undefined;
    this.#batchBytes -= segment.batch.parts.heldBytes;
  }

  /**
   * Moves the rows of several small batches, or of one half-empty batch, into a new batch. The number of rows is
   * bounded. Returns false if there was nothing to do.
   */
  #tidy(): boolean {
    const move = chooseMove(this.#segments);
    if (move === undefined) return false;
    const batch = mergeBatches(move, this.#segments, this.#hasher);
    if (batch === undefined) return false;
    const segment = new RowSegment(batch);
    const segmentAt = this.#addSegment(segment);
    for (let at = 0; at < batch.rowCount; at += 1) {
      const slot = this.#find(segment.place(at));
      const ref = this.#index.refAt(slot);
      this.#index.setRef(slot, toRef(segmentAt, at));
      segment.keep(at);
      this.#segment(ref).drop(ref % maxRowCount);
    }
    for (const from of move.segments) this.#release(from);
    return true;
  }

  #segment(ref: RowRef): RowSegment {
    const segment = this.#segments[Math.floor(ref / maxRowCount)];
    assert(segment !== undefined, "the index names rows of segments that are held");
    return segment;
  }

  #find(key: KeyPlace): number {
    return this.#findHashed(hashKey(key), key);
  }

  #findHashed(hash: number, key: KeyPlace): number {
    return this.#index.find(hash, (ref) => isSameKey(this.#segment(ref).place(ref % maxRowCount), key));
  }

  /** The slot of the exact object that a delete names, or -1. A later object with the same key does not match (L4). */
  #findObject(key: KeyPlace): number {
    const slot = this.#find(key);
    if (slot === -1) return -1;
    const ref = this.#index.refAt(slot);
    return isSameObject(this.#segment(ref).place(ref % maxRowCount), key) ? slot : -1;
  }

  #isEqualRow(ref: RowRef, batch: RowBatch, at: number): boolean {
    return this.#segment(ref).batch.rowHash(ref % maxRowCount) === batch.rowHash(at);
  }

  /** The rows in the bucket. A stored code may have another bucket count than the session's. */
  #refsInBucket(code: number): readonly RowRef[] {
    const parsed = parseBucketCode(code);
    assert(parsed !== undefined, "a bucket's code was checked when it came");
    const { bucketCount, bucket } = parsed;
    if (bucketCount === sessionBucketCount) return this.#index.inBucket(bucket);
    const refs: RowRef[] = [];
    this.#index.forEach((ref) => {
      const hash = hashKey(this.#segment(ref).place(ref % maxRowCount));
      if ((hash & (bucketCount - 1)) === bucket) refs.push(ref);
    });
    return refs;
  }
}
