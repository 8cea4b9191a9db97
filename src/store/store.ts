// SPDX-License-Identifier: Apache-2.0
// The interface to desired state. The rules behind each promise: docs/spec/store.md.
import type { Cursor, Revision, StoreId } from "../model/revision.ts";
import type { TableSpec, ValueOf } from "./table.ts";

export type Key = readonly string[];

/** The precondition of a write: none, that no row exists, or that the row still has this revision (ST5). */
export type Expectation = "any" | "absent" | Revision;

/** One write. A `value` of null deletes. Values are kept by reference until written: do not change them afterwards. */
export interface Write<T extends TableSpec = TableSpec> {
  readonly table: T;
  readonly key: Key;
  readonly value: ValueOf<T> | null;
  readonly expect: Expectation;
}

/** A write whose value has the table's type. */
export function put<T extends TableSpec>(table: T, key: Key, value: ValueOf<T>, expect: Expectation = "any"): Write {
  return { table, key, value, expect };
}

export function remove(table: TableSpec, key: Key, expect: Expectation = "any"): Write {
  return { table, key, value: null, expect };
}

/** Makes a commit conditional on a lease still having this epoch (ST26). */
export interface Fence {
  readonly lease: string;
  readonly epoch: bigint;
}

export type CommitOutcome =
  /**
   * Durable. `revisions` has one entry per write: its own revision, or the row's current one if the write changed
   * nothing (0 = no row).
   */
  | { readonly kind: "committed"; readonly revision: Revision; readonly revisions: readonly Revision[] }
  /** A precondition failed and nothing was written. `actual` is the current revision; 0 = no row. */
  | { readonly kind: "conflict"; readonly writeIndex: number; readonly actual: Revision }
  /** The lease now has `epoch`, and nothing was written. */
  | { readonly kind: "fenced"; readonly epoch: bigint };

export interface TableRow<T extends TableSpec> {
  readonly key: Key;
  readonly revision: Revision;
  readonly value: ValueOf<T>;
}

export interface StoreListOptions {
  /** The leading key parts that all rows share. */
  readonly prefix?: Key;
  readonly limit?: number;
  /** The key of the last row of the previous page. */
  readonly after?: Key;
  /** The revision to show. Default: the newest. */
  readonly asOf?: Revision;
  readonly atLeast?: Revision;
}

export interface RowPage<T extends TableSpec> {
  readonly rows: readonly TableRow<T>[];
  /** The revision that all pages of this list show. Pass it as `asOf` for the next page. */
  readonly revision: Revision;
  readonly more: boolean;
}

export interface Change<T extends TableSpec = TableSpec> {
  readonly revision: Revision;
  readonly key: Key;
  /** Null for a delete. */
  readonly value: ValueOf<T> | null;
  /** The revision of the row that was replaced or deleted; 0 = no row. */
  readonly previousRevision: Revision;
  /** For a delete: the removed value. */
  readonly removed?: ValueOf<T>;
}

/**
 * Changes in revision order, and the revision up to which everything has been delivered. Without changes: a bookmark.
 */
export interface WatchBatch<T extends TableSpec> {
  readonly changes: readonly Change<T>[];
  readonly revision: Revision;
}

/** A request of a watch's reader to learn when everything up to a revision was delivered. */
export interface WatchProgress {
  /** The lowest requested revision. The watch delivers a batch, possibly empty, as soon as it has reached it. */
  readonly wanted: Revision | undefined;
  /** Calls `wake` whenever another revision is requested. The returned function unsubscribes. */
  onWanted(wake: () => void): () => void;
}

export interface WatchOptions {
  readonly prefix?: Key;
  /** Delivery begins after this position. */
  readonly from: Cursor;
  readonly signal: AbortSignal;
  /** For a reader that must know when it has everything up to a revision. Other readers use bookmarks. */
  readonly progress?: WatchProgress;
}

export type LeaseOutcome =
  | { readonly kind: "held"; readonly epoch: bigint; readonly expiresInMs: number }
  | { readonly kind: "taken"; readonly holder: string; readonly expiresInMs: number };

export interface Leases {
  /** Acquires the lease, or renews it for the same holder (ST25). */
  acquire(name: string, holder: string, ttlMs: number): Promise<LeaseOutcome>;
  /** Releases the lease at once. Returns false if this holder does not have it. The epoch stays. */
  release(name: string, holder: string): Promise<boolean>;
}

/** The changes that compaction may remove: those older than `olderThanMs`, except the newest `keepCount`. */
export interface CompactOptions {
  readonly olderThanMs: number;
  readonly keepCount: number;
}

/** Desired state: rows of several tables with one sequence of revisions. Methods reject only with a FlotillaError. */
export interface Store {
  readonly storeId: StoreId;
  /** The workspace of the hub's own rows: the first part of their keys. Set when the store is opened. */
  readonly workspace: string;
  /** The newest committed revision that this process has seen. */
  readonly revision: Revision;
  /**
   * The oldest position from which this process can list or watch, as far as it knows: another process may compact at
   * any time.
   */
  readonly oldestRevision: Revision;
  readonly leases: Leases;
  /**
   * Reports that another process committed up to this revision. Watches behind it are woken and read up to it (ST40).
   * Never throws. A lost call costs one poll; one with a revision that does not exist costs one read.
   */
  noteCommitted(revision: Revision): void;
  commit(writes: readonly Write[], options?: { readonly fence?: Fence }): Promise<CommitOutcome>;
  get<T extends TableSpec>(
    table: T,
    key: Key,
    options?: { readonly atLeast?: Revision },
  ): Promise<TableRow<T> | undefined>;
  list<T extends TableSpec>(table: T, options?: StoreListOptions): Promise<RowPage<T>>;
  /**
   * Ends normally when the signal aborts. Rejects with GONE if its position is compacted or belongs to another store.
   */
  watch<T extends TableSpec>(table: T, options: WatchOptions): AsyncIterable<WatchBatch<T>>;
  /** A position to watch from. Default: the newest revision. */
  cursor(revision?: Revision): Cursor;
  /** Returns the compacted revision: the oldest position that can still be watched from. */
  compact(options: CompactOptions): Promise<Revision>;
  /** Re-encrypts all bodies that are not under the newest key (ST28). Returns their number. */
  rewrapBodies(): Promise<number>;
  /** Waits for accepted commits, then closes the engine. Watches end; later calls are refused with UNAVAILABLE. */
  close(): Promise<void>;
}
