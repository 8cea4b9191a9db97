// SPDX-License-Identifier: Apache-2.0
// Selects the rows of the next flush (SE16, SE17, SE26). The plan copies rows out of the table, so that it does not
// change while the flush is encoded.

import { isRbacResource } from "../../model/rbac-resources.ts";
import type { RowDelete } from "../../model/rows/row.ts";
import type { KindRows } from "./kind-rows.ts";
import type { FlushEntry, Outbox } from "./outbox.ts";
import type { RowRecord, RowRecords } from "./row-records.ts";
import type { RowTable } from "./row-table.ts";

/** One batch of a flush. */
export interface PlannedPart {
  readonly kind: KindRows;
  /** The bucket that the rows replace; undefined for upserts and deletes. */
  readonly replacedBucket: number | undefined;
  readonly rows: RowRecords;
  readonly deletes: readonly RowDelete[];
}

/** A flush before it is encoded. */
export interface FlushPlan {
  readonly parts: readonly PlannedPart[];
  readonly entries: readonly FlushEntry[];
  /** Time of its oldest change. */
  readonly sinceMs: number;
  /** Whether changes are left over. */
  readonly isCut: boolean;
}

/**
 * Estimated bytes of a key besides its record: uid, hash, widths and ids of a batch. The measured maximum is 76, with
 * one row in a batch.
 */
const keyBytes = 80;

/** Estimated bytes of a batch besides its keys: frame, names and compression. An empty batch has about 60. */
const batchBytes = 128;

/** Most keys in one batch: half of the format's limit (CO32), as a margin. */
const maxPartKeyCount = 65_536;

/** Bytes at which a batch of an unsplittable flush ends and the next begins: an eighth of the format's limit (CO32). */
const maxPartBytes = 8 * 1024 * 1024;

class PlanBuilder {
  readonly #table: RowTable;
  readonly #maxBytes: number;
  readonly parts: PlannedPart[] = [];
  readonly entries: FlushEntry[] = [];
  readonly buckets = new Map<KindRows, readonly number[]>();
  sinceMs: number;
  /** Estimated, before compression. */
  byteCount = 0;

  constructor(table: RowTable, maxBytes: number, nowMs: number) {
    this.#table = table;
    this.#maxBytes = maxBytes;
    this.sinceMs = nowMs;
  }

  get isFull(): boolean {
    return this.byteCount >= this.#maxBytes;
  }

  #sizeOf(slots: Iterable<number>): number {
    let size = 0;
    for (const slot of slots) size += this.#table.recordBytes(slot) + keyBytes;
    return size;
  }

  /** The first item always fits, so a flush is never empty. */
  #hasRoomFor(byteCount: number): boolean {
    return this.byteCount === 0 || this.byteCount + byteCount <= this.#maxBytes;
  }

  /** Adds the buckets that fit, or all if `isWhole`. False if some are left over. */
  addBuckets(kind: KindRows, buckets: ReadonlySet<number>, isWhole: boolean): boolean {
    if (buckets.size === 0) return true;
    const slotsOf = new Map<number, number[]>(Array.from(buckets, (bucket) => [bucket, []]));
    for (const slot of this.#table.slotsOf(kind)) slotsOf.get(this.#table.bucketOf(slot))?.push(slot);
    const taken: (readonly number[])[] = [];
    const rowsOf = new Map<number, RowRecords>();
    for (const [bucket, slots] of slotsOf) {
      const size = this.#sizeOf(slots) + batchBytes;
      if (!isWhole && !this.#hasRoomFor(size)) break;
      this.byteCount += size;
      taken.push(slots);
      rowsOf.set(bucket, this.#table.createRecords());
    }
    for (const slot of this.#table.inReadingOrder(taken.flat())) {
      const row = this.#table.record(slot);
      if (row !== undefined) rowsOf.get(this.#table.bucketOf(slot))?.add(row);
      this.entries.push(entryOf(slot, row));
    }
    for (const [bucket, rows] of rowsOf) this.parts.push({ kind, replacedBucket: bucket, rows, deletes: [] });
    if (rowsOf.size > 0) this.buckets.set(kind, [...rowsOf.keys()]);
    return rowsOf.size === buckets.size;
  }

  /** Adds the changes of one kind that fit. Keys of buckets that this flush replaces are already included. */
  addChanges(kind: KindRows, waiting: ReadonlyMap<number, number>, isWhole: boolean): void {
    const replaced = new Set(this.buckets.get(kind));
    let rows = this.#table.createRecords();
    let deletes: RowDelete[] = [];
    let partBytes = 0;
    const endPart = (): void => {
      if (rows.length + deletes.length > 0) this.parts.push({ kind, replacedBucket: undefined, rows, deletes });
      rows = this.#table.createRecords();
      deletes = [];
      partBytes = 0;
    };
    for (const [slot, sinceMs] of waiting) {
      if (replaced.has(this.#table.bucketOf(slot))) continue;
      const size = this.#table.recordBytes(slot) + keyBytes + (rows.length + deletes.length === 0 ? batchBytes : 0);
      if (!isWhole && !this.#hasRoomFor(size)) break;
      const row = this.#table.record(slot);
      const before = this.#table.sent(slot);
      if (row !== undefined) rows.add(row);
      // The name belongs to another object now: delete and upsert go into one batch, which applies deletes first (SE17,
      // CO27).
      if (before !== undefined && before.uid !== row?.uid) deletes.push({ ...this.#table.key(slot), uid: before.uid });
      this.entries.push(entryOf(slot, row));
      this.sinceMs = Math.min(this.sinceMs, sinceMs);
      this.byteCount += size;
      partBytes += size;
      if (partBytes >= maxPartBytes || rows.length >= maxPartKeyCount || deletes.length >= maxPartKeyCount) endPart();
    }
    endPart();
  }
}

function entryOf(slot: number, row: RowRecord | undefined): FlushEntry {
  return { slot, sent: row === undefined ? undefined : { hash: row.rowHash, uid: row.uid } };
}

function kindsThatWait(outbox: Outbox, isRbac: boolean): readonly KindRows[] {
  const kinds = new Set([...outbox.requestedBuckets.keys(), ...outbox.waiting.keys()]);
  return [...kinds].filter((kind) => isRbacResource(kind.resource) === isRbac);
}

/**
 * Takes the next flush from the outbox; undefined if nothing waits. RBAC kinds come first and complete. Other kinds are
 * cut where the estimated bytes reach `maxBytes` (SE16). A single row or bucket larger than that is sent alone.
 */
export function planFlush(table: RowTable, outbox: Outbox, maxBytes: number, nowMs: number): FlushPlan | undefined {
  const builder = new PlanBuilder(table, maxBytes, nowMs);
  for (const isRbac of [true, false])
    for (const kind of kindsThatWait(outbox, isRbac)) {
      if (!isRbac && builder.isFull) break;
      const hasAll = builder.addBuckets(kind, outbox.requestedBuckets.get(kind) ?? new Set(), isRbac);
      if (hasAll) builder.addChanges(kind, outbox.waiting.get(kind) ?? new Map(), isRbac);
    }
  const { parts, entries, buckets, sinceMs } = builder;
  if (parts.length === 0) return undefined;
  outbox.takeUp(entries, buckets);
  return { parts, entries, sinceMs, isCut: outbox.hasWaiting };
}
