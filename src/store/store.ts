// SPDX-License-Identifier: Apache-2.0
// What hub code sees of desired state. The rules behind each promise: docs/spec/store.md.
import type { Cursor, Revision, StoreId } from "../model/revision.ts";
import type { TableSpec, ValueOf } from "./table.ts";

export type Key = readonly string[];

/** What a write takes for granted: nothing, that there is no row, or that the row is still the one read at that revision (ST5). */
export type Expectation = "any" | "absent" | Revision;

/** One write. A `value` of null deletes. Values are kept by reference until written: do not change them afterwards. */
export interface Write<T extends TableSpec = TableSpec> {
  readonly table: T;
  readonly key: Key;
  readonly value: ValueOf<T> | null;
  readonly expect: Expectation;
}

/** A write with the value checked against the table's type. */
export function put<T extends TableSpec>(table: T, key: Key, value: ValueOf<T>, expect: Expectation = "any"): Write {
  return { table, key, value, expect };
}

export function remove(table: TableSpec, key: Key, expect: Expectation = "any"): Write {
  return { table, key, value: null, expect };
}

/** Makes a commit conditional on a lease still being at that epoch (ST26). */
export interface Fence {
  readonly lease: string;
  readonly epoch: bigint;
}

export type CommitOutcome =
  /** Durable. `revisions` has one per write: its own, or for a write that changed nothing the one the row has (0 = no row). */
  | { readonly kind: "committed"; readonly revision: Revision; readonly revisions: readonly Revision[] }
  /** An expectation did not hold and nothing was written. `actual` is the revision found; 0 = no row. */
  | { readonly kind: "conflict"; readonly writeIndex: number; readonly actual: Revision }
  /** The lease has moved on to `epoch`, and nothing was written. */
  | { readonly kind: "fenced"; readonly epoch: bigint };

export interface TableRow<T extends TableSpec> {
  readonly key: Key;
  readonly revision: Revision;
  readonly value: ValueOf<T>;
}

export interface StoreListOptions {
  /** Leading key parts that all rows share. */
  readonly prefix?: Key;
  readonly limit?: number;
  /** Key of the last row of the page before. */
  readonly after?: Key;
  /** The revision to show; the newest when left out. */
  readonly asOf?: Revision;
  readonly atLeast?: Revision;
}

export interface RowPage<T extends TableSpec> {
  readonly rows: readonly TableRow<T>[];
  /** What all pages of this list show; ask for the next one `asOf` it. */
  readonly revision: Revision;
  readonly more: boolean;
}

export interface Change<T extends TableSpec = TableSpec> {
  readonly revision: Revision;
  readonly key: Key;
  /** Null for a delete. */
  readonly value: ValueOf<T> | null;
  /** Revision of the row that was replaced or deleted; 0 = there was none. */
  readonly previousRevision: Revision;
  /** For a delete: what was removed. */
  readonly removed?: ValueOf<T>;
}

/** Changes in revision order, and the revision up to which everything has now been delivered. Without changes: a bookmark. */
export interface WatchBatch<T extends TableSpec> {
  readonly changes: readonly Change<T>[];
  readonly revision: Revision;
}

/** What the reader of a watch asks for besides changes: to be told when everything up to a revision was delivered. */
export interface WatchProgress {
  /** The lowest revision that is waited for. The watch delivers a batch, an empty one if need be, as soon as it has come so far. */
  readonly wanted: Revision | undefined;
  /** Calls `wake` whenever another revision is waited for, until undone. */
  onWanted(wake: () => void): () => void;
}

export interface WatchOptions {
  readonly prefix?: Key;
  /** Delivery begins after this position. */
  readonly from: Cursor;
  readonly signal: AbortSignal;
  /** For a reader that must sometimes know that it has everything up to a revision; the others learn it from bookmarks. */
  readonly progress?: WatchProgress;
}

export type LeaseOutcome =
  | { readonly kind: "held"; readonly epoch: bigint; readonly expiresInMs: number }
  | { readonly kind: "taken"; readonly holder: string; readonly expiresInMs: number };

export interface Leases {
  /** Takes the lease, or renews it for the same holder (ST25). */
  acquire(name: string, holder: string, ttlMs: number): Promise<LeaseOutcome>;
  /** Frees it at once for others; false when this holder does not have it. The epoch stays. */
  release(name: string, holder: string): Promise<boolean>;
}

/** What compaction may remove: changes older than `olderThanMs`, but never the newest `keepCount`. */
export interface CompactOptions {
  readonly olderThanMs: number;
  readonly keepCount: number;
}

/** Desired state: rows of several tables on one revision line. Methods reject with a FlotillaError only. */
export interface Store {
  readonly storeId: StoreId;
  /** The workspace that the hub's own rows are of: the first part of their keys. Chosen when the store is opened, and nowhere else. */
  readonly workspace: string;
  /** The newest revision this process has seen committed. */
  readonly revision: Revision;
  /** The oldest position that can still be listed or watched from, as far as this process knows: another may compact at any time. */
  readonly oldestRevision: Revision;
  readonly leases: Leases;
  /**
   * Another process committed up to this revision: watches behind it are woken and read up to it (ST40). Never throws. A wake-up that is lost costs
   * one poll, and one with a revision that does not exist costs one read.
   */
  noteCommitted(revision: Revision): void;
  commit(writes: readonly Write[], options?: { readonly fence?: Fence }): Promise<CommitOutcome>;
  get<T extends TableSpec>(
    table: T,
    key: Key,
    options?: { readonly atLeast?: Revision },
  ): Promise<TableRow<T> | undefined>;
  list<T extends TableSpec>(table: T, options?: StoreListOptions): Promise<RowPage<T>>;
  /** Ends normally when the signal aborts; rejects with GONE when its position is compacted away or of another store. */
  watch<T extends TableSpec>(table: T, options: WatchOptions): AsyncIterable<WatchBatch<T>>;
  /** A position to watch from; the newest revision unless one is given. */
  cursor(revision?: Revision): Cursor;
  /** Returns the compacted revision: the oldest position that can still be watched from. */
  compact(options: CompactOptions): Promise<Revision>;
  /** Re-encrypts whatever is not under the newest key (ST28). Returns how many bodies that were. */
  rewrapBodies(): Promise<number>;
  /** Waits for commits already taken, then lets go of the engine. Watches end; later calls are refused with UNAVAILABLE. */
  close(): Promise<void>;
}
