// SPDX-License-Identifier: Apache-2.0
// Applies the parts of flushes to a table, and finds whether a part changes anything.
import { assert } from "../../base/assert.ts";
import type { RowBatch } from "../../model/row-batch/row-batch.ts";
import type { KeyFields, RowBatchParts } from "../../model/row-batch/row-batch-parts.ts";
import { parseBucketCode, sessionBucketCount } from "../../model/rows/bucket.ts";
import { BatchMapping } from "./batch-mapping.ts";
import type { TableState } from "./table-state.ts";
import { isTroubleRank } from "./trouble-rows.ts";
import { WrittenRows } from "./written-rows.ts";

/** How a part changes rows: as a delta, or by replacing a bucket, whose rows that it does not have are removed. */
export type PartForm = { readonly kind: "delta" } | { readonly kind: "replace"; readonly bucket: number };

/** A decoded batch and how it changes the rows of its table. */
export interface TablePart {
  readonly form: PartForm;
  readonly batch: RowBatch;
}

/** A set of keys, by their hashes. It may have more keys than were meant, if their hashes are equal. */
export interface KeySet {
  has(keyHash: number): boolean;
}

/** Receives the changes of a part. Replacing an object by another of the same key is two changes: removed, then added. */
export interface TableSink {
  /** The row at this place of the batch. */
  added(parts: RowBatchParts, place: number): void;
  /** The row at this place of the batch, and the rank of the status that the row had. */
  changed(parts: RowBatchParts, place: number, oldRank: number): void;
  /** Called while the row is still in the table. */
  removed(state: TableState, row: number): void;
}

/** Rows processed in one step: about 2 ms, the longest time a reader waits. */
export const stepRowCount = 2_048;

/** The row with the key at this place, or -1. Adds nothing to the dictionaries. */
function findRow(state: TableState, mapping: BatchMapping, keys: KeyFields, place: number): number {
  const name = mapping.findText(keys.nameIds[place] ?? 0);
  const namespaceText = name === -1 ? -1 : mapping.findText(keys.namespaceIds[place] ?? 0);
  const namespace = namespaceText === -1 ? -1 : state.cluster.findNamespaceNumber(namespaceText);
  return namespace === -1 ? -1 : state.index.find(state, mapping.keyHash(keys, place), namespace, name);
}

/** The row of the exact object that a delete names, or -1. A later object with the same key does not match (L4). */
function findDeleted(state: TableState, mapping: BatchMapping, place: number): number {
  const { strings, deletes } = mapping.parts;
  const row = findRow(state, mapping, deletes, place);
  if (row === -1) return -1;
  return state.cells.uids.isSame(row, { uids: deletes.uids, place, strings }, state.cluster.texts) ? row : -1;
}

function hasHash({ cells }: TableState, row: number, hashes: DataView, place: number): boolean {
  return (
    cells.hashLows.values[row] === hashes.getUint32(place * 8, true) &&
    cells.hashHighs.values[row] === hashes.getUint32(place * 8 + 4, true)
  );
}

/** The rows in a bucket. A stored code may have another bucket count than the session's. */
function rowsInBucket({ index, count }: TableState, code: number): readonly number[] {
  const parsed = parseBucketCode(code);
  assert(parsed !== undefined, "a bucket's code was checked when it came");
  const { bucketCount, bucket } = parsed;
  if (bucketCount === sessionBucketCount) return index.inBucket(bucket);
  const rows: number[] = [];
  for (let row = 0; row < count; row += 1) if (index.bucketOf(row, bucketCount) === bucket) rows.push(row);
  return rows;
}

/** Whether applying the part now would change any row. */
export function wouldChange(state: TableState, { batch, form }: TablePart): boolean {
  const { parts } = batch;
  const { fields } = parts;
  const mapping = new BatchMapping(parts, state.cluster);
  for (let place = 0; place < batch.deleteCount; place += 1) if (findDeleted(state, mapping, place) !== -1) return true;
  for (let place = 0; place < fields.count; place += 1) {
    const row = findRow(state, mapping, fields, place);
    if (row === -1 || !hasHash(state, row, fields.hashes, place)) return true;
  }
  return form.kind === "replace" && rowsInBucket(state, form.bucket).length !== fields.count;
}

/**
 * Removes the rows with these keys, in steps of `stepRowCount` rows. Inconsistent between steps.
 */
export function* removeKeys(state: TableState, keys: KeySet): Generator<void, void, undefined> {
  const rows: number[] = [];
  // The last rows go first: rows that take their places are then never among those that are still to go.
  for (let row = state.count - 1; row >= 0; row -= 1) if (keys.has(state.index.hashes.values[row] ?? 0)) rows.push(row);
  state.noteChange();
  for (let from = 0; from < rows.length; from += stepRowCount) {
    state.remove(Uint32Array.from(rows.slice(from, from + stepRowCount)).sort());
    yield;
  }
  state.cells.own.dropEmpty();
  state.noteChange();
}

/**
 * Applies a part in steps of `stepRowCount` rows: its deletes, then what its bucket loses, then its rows. Inconsistent
 * between steps. With `among`, rows with other keys are left out; the table must have none of them.
 */
export function* applyPart(
  state: TableState,
  { batch, form }: TablePart,
  sink: TableSink,
  among?: KeySet,
): Generator<void, void, undefined> {
  const mapping = new BatchMapping(batch.parts, state.cluster);
  state.noteChange();
  for (let from = 0; from < batch.deleteCount; from += stepRowCount) {
    const rows: number[] = [];
    const end = Math.min(batch.deleteCount, from + stepRowCount);
    for (let place = from; place < end; place += 1) {
      const row = findDeleted(state, mapping, place);
      if (row !== -1) rows.push(row);
    }
    removeRows(state, rows, sink);
    yield;
  }
  if (form.kind === "replace") yield* removeUnnamed(state, mapping, form.bucket, sink);
  const { count } = batch.parts.fields;
  if (count > 0) yield* upsertRows(state, mapping, sink, among);
  state.cells.own.dropEmpty();
  state.noteChange();
  state.cluster.noteReplaced(state.cells.takeReplaced());
}

function removeRows(state: TableState, rows: readonly number[], sink: TableSink): void {
  if (rows.length === 0) return;
  for (const row of rows) sink.removed(state, row);
  state.remove(Uint32Array.from(rows).sort());
}

/** Removes the rows of a replaced bucket that the replacement does not have. */
function* removeUnnamed(
  state: TableState,
  mapping: BatchMapping,
  bucket: number,
  sink: TableSink,
): Generator<void, void, undefined> {
  const { fields } = mapping.parts;
  const named = new Set<number>();
  for (let place = 0; place < fields.count; place += 1) named.add(findRow(state, mapping, fields, place));
  // The last rows go first: rows that take their places are then never among those that are still to go.
  const rows = rowsInBucket(state, bucket)
    .filter((row) => !named.has(row))
    .sort((a, b) => b - a);
  for (let from = 0; from < rows.length; from += stepRowCount) {
    removeRows(state, rows.slice(from, from + stepRowCount), sink);
    yield;
  }
}

function* upsertRows(
  state: TableState,
  mapping: BatchMapping,
  sink: TableSink,
  among: KeySet | undefined,
): Generator<void, void, undefined> {
  const { fields, kind } = mapping.parts;
  state.kind = kind;
  if (state.count === 0 && among === undefined) state.reserve(fields.count);
  const isLeftOut = (place: number): boolean => among !== undefined && !among.has(mapping.keyHash(fields, place));
  const written = new WrittenRows(mapping, Math.min(fields.count, stepRowCount));
  for (let from = 0; from < fields.count; from += stepRowCount) {
    written.start(state.count);
    const end = Math.min(fields.count, from + stepRowCount);
    // Namespaces come before names, so that the names of a batch, which are read together, are adjacent.
    for (let place = from; place < end; place += 1)
      if (!isLeftOut(place)) mapping.namespace(fields.namespaceIds[place] ?? 0);
    for (let place = from; place < end; place += 1) if (!isLeftOut(place)) upsertRow(state, written, place, sink);
    // Rows of a batch are in key order.
    state.order.append(state.count, state, state.cluster);
    state.cells.write(written, state.capacity);
    yield;
  }
}

/** Adds a row, or finds that it is equal, and counts it. Its cells are written at the end of the step. */
function upsertRow(state: TableState, written: WrittenRows, place: number, sink: TableSink): void {
  const { cluster, cells } = state;
  const { mapping } = written;
  const { parts } = mapping;
  const { fields } = parts;
  const namespace = mapping.namespace(fields.namespaceIds[place] ?? 0);
  const name = mapping.searchedText(fields.nameIds[place] ?? 0);
  const hash = mapping.keyHash(fields, place);
  const rank = fields.statuses[place] ?? 0;
  let row = state.index.find(state, hash, namespace, name);
  if (row === -1) {
    state.reserve(state.count + 1);
    row = state.append(hash, namespace, name);
    sink.added(parts, place);
    if (isTroubleRank(rank)) state.troubles.note(row, rank, false);
  } else {
    if (hasHash(state, row, fields.hashes, place)) return;
    const oldRank = cells.statuses.values[row] ?? 0;
    const isSame = cells.uids.isSame(row, { uids: fields.uids, place, strings: parts.strings }, cluster.texts);
    if (isSame) sink.changed(parts, place, oldRank);
    else {
      sink.removed(state, row);
      sink.added(parts, place);
    }
    if (isTroubleRank(rank) || isTroubleRank(oldRank)) state.troubles.note(row, rank, isSame && rank === oldRank);
    state.subtract(row);
  }
  cells.setHash(row, fields.hashes.getUint32(place * 8, true), fields.hashes.getUint32(place * 8 + 4, true));
  state.add(row, rank);
  written.add(row, place);
}
