// SPDX-License-Identifier: Apache-2.0
import { RowBatch } from "../../model/row-batch/row-batch.ts";
import type { RowBatchParts } from "../../model/row-batch/row-batch-parts.ts";
import { hashName, hashNamespace, sessionBucketCount } from "../../model/rows/bucket.ts";
import { BucketDigests, type Digest } from "../../model/rows/digest.ts";
import type { ColumnType, RowHash } from "../../model/rows/row.ts";
import type { IdKind, IdTranslation } from "./added-rows.ts";
import { appendRows } from "./append-rows.ts";
import { applyPart, type KeySet, removeKeys, type TablePart, type TableSink, wouldChange } from "./apply-part.ts";
import type { ClusterTexts } from "./cluster-texts.ts";
import type { IdValues } from "./id-column.ts";
import type { ColumnOfKind } from "./kind-columns.ts";
import type { NumberColumn } from "./number-column.ts";
import { OwnedRows } from "./owned-rows.ts";
import { TableState } from "./table-state.ts";

/** A column of ids as it is read: `values[row]` up to the table's row count. `values` is borrowed until the next fold. */
export interface ReadableIds {
  readonly values: IdValues;
  /** The number of rows with an id other than 0. */
  readonly presentCount: number;
}

const encoder = new TextEncoder();

const noSink: TableSink = { added: () => undefined, changed: () => undefined, removed: () => undefined };

/**
 * The rows of one (cluster, resource) in columns. Rows are dense and in no order: a removed row's place is taken by the
 * last one. There is no JavaScript value per row; texts are ids in the cluster's dictionaries.
 */
export class KindTable {
  readonly #state: TableState;
  #owned: OwnedRows | undefined;

  constructor(cluster: ClusterTexts, state = new TableState(cluster)) {
    this.#state = state;
  }

  get cluster(): ClusterTexts {
    return this.#state.cluster;
  }

  get count(): number {
    return this.#state.count;
  }

  /** The kind's name in the newest rows; "" before the first row. */
  get kind(): string {
    return this.#state.kind;
  }

  /** Another number after each fold: what was computed from rows is then outdated. Snapshots keep theirs. */
  get version(): number {
    return this.#state.version;
  }

  get digest(): Digest {
    return this.#state.digest;
  }

  /** The memory of columns, index and order. That of the dictionaries is the cluster's. */
  get sizeBytes(): number {
    return this.#state.sizeBytes + (this.#owned?.sizeBytes ?? 0);
  }

  /** The bytes that the next change copies because a snapshot uses them. */
  get sharedBytes(): number {
    return this.#state.sharedBytes;
  }

  /** Numbers of namespaces. */
  get namespaces(): ReadableIds {
    return this.#state.namespaces;
  }

  get names(): ReadableIds {
    return this.#state.names;
  }

  /** Ranks. */
  get statuses(): ReadableIds {
    return this.#state.cells.statuses;
  }

  get reasons(): ReadableIds {
    return this.#state.cells.reasons;
  }

  get messages(): ReadableIds {
    return this.#state.cells.messages;
  }

  /** Numbers of label sets. */
  get labels(): ReadableIds {
    return this.#state.cells.labels;
  }

  get annotations(): ReadableIds {
    return this.#state.cells.annotations;
  }

  /** Numbers of owners; 0 for none. */
  get owners(): ReadableIds {
    return this.#state.cells.owners;
  }

  /** Milliseconds, in a compact form. An object without a creation time has no number. */
  get creationTimes(): NumberColumn {
    return this.#state.cells.createdAts;
  }

  /** The number of rows with the status of this rank. */
  statusCount(rank: number): number {
    return this.#state.statusCounts[rank] ?? 0;
  }

  /** The rows in the order of namespace and name, bytewise. Borrowed until the next fold. */
  order(): Uint32Array {
    return this.#state.order.rows();
  }

  /** The rows of a namespace, by its number, in key order. Borrowed until the next fold. */
  rowsIn(namespace: number): Uint32Array {
    return this.#state.rowsIn(namespace);
  }

  /** A kind's own column; undefined if no row has it with this type. */
  column(name: string, type: ColumnType): ColumnOfKind | undefined {
    return this.#state.cells.own.get(name, type);
  }

  /** The kind's own columns that any row has. A name may occur with several types. */
  columns(): readonly ColumnOfKind[] {
    return this.#state.cells.own.list();
  }

  /** Milliseconds since 1970; 0 for none. */
  createdAtMs(row: number): number {
    const at = this.#state.cells.createdAts.get(row);
    return Number.isNaN(at) ? 0 : at;
  }

  /** Undefined unless the object is being deleted. */
  deletedAtOf(row: number): number | undefined {
    const at = this.#state.cells.deletedAts.get(row);
    return Number.isNaN(at) ? undefined : at;
  }

  generationOf(row: number): number {
    return this.#state.cells.generations.get(row);
  }

  /** "" if the object has none. */
  uidOf(row: number): string {
    return this.#state.cells.uids.get(row, this.cluster.texts);
  }

  resourceVersionOf(row: number): string {
    return this.#state.cells.tokens.get(row, this.cluster.texts);
  }

  rowHash(row: number): RowHash {
    return this.#state.cells.rowHash(row);
  }

  /** Since when the row is in trouble, by the hub's wall clock; undefined if it is not, or if unknown (HE18). */
  troubledSinceMs(row: number): number | undefined {
    return this.#state.troubles.get(row);
  }

  /** The earliest of these times; undefined if none is known. */
  get oldestTroubleMs(): number | undefined {
    return this.#state.troubles.oldestMs;
  }

  /** The row with this key, or -1. */
  findRow(namespace: string, name: string): number {
    const { texts } = this.cluster;
    const nameBytes = encoder.encode(name);
    const nameId = texts.findBytes(nameBytes, 0, nameBytes.length);
    const number = nameId === -1 ? undefined : this.cluster.findNamespace(namespace);
    if (number === undefined) return -1;
    const namespaceBytes = encoder.encode(namespace);
    const namespaceState = hashNamespace(namespaceBytes, 0, namespaceBytes.length);
    const hash = hashName(namespaceState, nameBytes, 0, nameBytes.length);
    return this.#state.index.find(this.#state, hash, number, nameId);
  }

  /** The row with this uid, or -1. Looks at every row. */
  findUid(uid: string): number {
    return this.#state.cells.uids.find(uid, this.count, this.cluster.texts);
  }

  /** The rows of an owner, by its number, ascending. Borrowed until the next fold. */
  rowsOwnedBy(owner: number): Uint32Array {
    this.#owned ??= new OwnedRows(this.owners.values, this.count, this.cluster.owners.count);
    return this.#owned.of(owner);
  }

  /** The digests of the session's buckets, in order (SE24). */
  bucketDigests(): readonly Digest[] {
    const { index, count } = this.#state;
    const digests = new BucketDigests(sessionBucketCount);
    for (let row = 0; row < count; row += 1) digests.add(index.bucketOf(row, sessionBucketCount), this.rowHash(row));
    return digests.list();
  }

  /** Whether applying the part now would change any row. Adds nothing to the dictionaries. */
  wouldChange(part: TablePart): boolean {
    return wouldChange(this.#state, part);
  }

  /** Applies a batch and keeps what it adds to the dictionaries, without reporting changes. */
  fold(parts: RowBatchParts): void {
    this.apply({ form: { kind: "delta" }, batch: new RowBatch(parts) });
    this.cluster.commit();
  }

  /** Applies a part: its deletes, then what its bucket loses, then its rows. */
  apply(part: TablePart, sink: TableSink = noSink): void {
    for (const _ of this.applyInSteps(part, sink));
  }

  /**
   * As `apply`, in steps of some 2 ms. Inconsistent between steps; call only on a fork. With `among`, rows with other
   * keys are left out; the table must have none of them.
   */
  applyInSteps(part: TablePart, sink: TableSink, among?: KeySet): Generator<void, void, undefined> {
    this.#owned = undefined;
    return applyPart(this.#state, part, sink, among);
  }

  /**
   * Adds the rows of another table, whose keys this one has not, with the times of their trouble. `ids` gives the ids of
   * this table's dictionaries for those of the other's. In steps of some 2 ms. Inconsistent between steps; call only on
   * a fork.
   */
  appendInSteps(of: KindTable, ids: IdTranslation): Generator<void, void, undefined> {
    this.#owned = undefined;
    return appendRows(this.#state, of.#state, ids);
  }

  /** Removes the rows with these keys, in steps of some 2 ms. Inconsistent between steps; call only on a fork. */
  removeInSteps(keys: KeySet): Generator<void, void, undefined> {
    this.#owned = undefined;
    return removeKeys(this.#state, keys);
  }

  /** Sets the kind's name: that of other rows, which were not applied to this table. */
  rename(kind: string): void {
    this.#state.kind = kind;
  }

  /** Sets the receive time of all trouble that began since the last call. */
  settle(receivedAtMs: number): void {
    this.#state.troubles.settle(receivedAtMs);
  }

  /**
   * The rows at this moment: a table that stays as it is, however this one changes. It costs some microseconds; columns
   * are copied when they next change.
   */
  snapshot(): KindTable {
    return new KindTable(this.cluster, new TableState(this.cluster, this.#state));
  }

  /**
   * Copies the table for changing while readers use this one, with room for `moreCount` more rows. Copies in steps,
   * between which this table must not change.
   */
  *forkInSteps(moreCount: number): Generator<void, KindTable, undefined> {
    const forked = new TableState(this.cluster, this.#state);
    yield* forked.ownInSteps(moreCount);
    return new KindTable(this.cluster, forked);
  }

  /** The columns of ids, by what the ids are. Columns of optional ids hold the id plus one, and 0 for none. */
  idColumns(): readonly (readonly [IdKind, ReadableIds])[] {
    return this.#state.idColumns();
  }

  /** The same rows with the ids of other dictionaries: `ids` by kind and id. Both tables can be used. In steps. */
  *renumberInSteps(
    cluster: ClusterTexts,
    ids: Readonly<Record<IdKind, Uint32Array>>,
  ): Generator<void, KindTable, undefined> {
    const renumbered = new TableState(cluster, this.#state);
    for (const [kind, column] of renumbered.idColumns()) {
      column.renumber(ids[kind]);
      yield;
    }
    return new KindTable(cluster, renumbered);
  }

  /** Releases memory that was reserved for growth. */
  trim(): void {
    this.#state.trim();
  }

  /**
   * An upper bound of the size with `moreCount` more rows, `newColumnCount` of whose columns are new, if ids reach
   * `idCount`.
   */
  boundBytes(moreCount: number, newColumnCount: number, idCount: number): number {
    return this.#state.boundBytes(moreCount, newColumnCount, idCount);
  }
}
