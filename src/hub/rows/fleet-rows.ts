// SPDX-License-Identifier: Apache-2.0
// The rows of the fleet: ingest folds flushes into them, and readers read them. The index behind it can be replaced.
import type { Digest } from "../../model/digest.ts";
import type { ResourceId } from "../../model/gvr.ts";
import type { ColumnSpec, Row } from "../../model/row.ts";
import type { RowBatch } from "../../model/row-batch/row-batch.ts";
import type { Status } from "../../model/status.ts";
import type { SegmentForm } from "../../store/fleet-log/fleet-log.ts";
import type { ClusterSize } from "./cluster-limits.ts";

/**
 * One kind's part of a flush, decoded and checked. The fleet's rows keeps the batch; its bytes must not change afterwards.
 */
export interface FoldPart {
  /** The text of the resource id. */
  readonly resource: string;
  readonly form: SegmentForm;
  readonly batch: RowBatch;
}

/** The change of a row. Replacing an object by another of the same key is two changes: removed, then added. */
export type ChangeKind = "added" | "changed" | "removed";

/** A change of one object. */
export interface RowChange {
  readonly kind: ChangeKind;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** All changes of one flush, in order. */
export interface FoldedChanges {
  readonly length: number;
  readonly sizeBytes: number;
  /** Builds the values anew on each call. */
  list(): readonly RowChange[];
  /** The number of changes of each kind, by resource. A resource may occur more than once. */
  counts(): Iterable<{ readonly resource: string; readonly kind: ChangeKind; readonly count: number }>;
}

/** The rows of one (cluster, resource) at one moment. Changes during the read do not affect it. */
export interface KindSnapshot {
  readonly resource: ResourceId;
  readonly rowCount: number;
  /** The position of these rows in the fleet log. */
  readonly position: number;
  /** The rows in groups of equal columns, so that one batch can hold a group. */
  readonly groups: readonly SnapshotGroup[];
  /** The rows of all groups, in no order. */
  rows(): Iterable<Row>;
}

/** Rows of one batch. */
export interface SnapshotGroup {
  readonly kind: string;
  readonly columns: readonly ColumnSpec[];
  rows(): Iterable<Row>;
}

/** The facts about one (cluster, resource) without its rows. */
export interface KindSummary {
  readonly cluster: string;
  readonly resource: string;
  /** The kind's name in the newest rows; "" before the first row. */
  readonly kind: string;
  readonly rowCount: number;
  /** When the hub received the newest change: the rows are at least this fresh (L9). */
  readonly receivedAtMs: number;
  /** The position of the rows in the fleet log. */
  readonly position: number;
}

/** The number of rows per status. */
export type StatusCounts = Readonly<Record<Status, number>>;

/** Selects rows of this status and of worse ones, at most `limit` rows. */
export interface WorstRowsRequest {
  readonly status: Status;
  readonly limit: number;
}

/** The newest flush folded into a cluster's rows, as numbered in the fleet log. */
export interface AppliedFlush {
  readonly incarnation: string;
  readonly seq: number;
}

/** The place of a flush in the fleet log. */
export interface FoldPlace {
  /** The position after its parts. */
  readonly position: number;
  readonly receivedAtMs: number;
}

/**
 * A flush that is being folded. Readers see nothing of it before `commit`, and dropping it needs no undo. No other
 * flush of its cluster may be folded, and the cluster may not be removed, meanwhile.
 */
export interface PreparedFold<Part extends FoldPart> {
  /** The preparation, in steps of a few milliseconds. Run it once and to its end before using the other members. */
  steps(): Iterable<void>;
  /** The parts that change something, in order. Only these need storing (N-28). */
  readonly changing: readonly Part[];
  /** The cluster's size after the commit, or an upper bound. Exact with `isExact`. */
  readonly sizeAfter: ClusterSize;
  /** The number of rows that `commit` processes. 0 if the steps process them. */
  readonly commitRowCount: number;
  /** Makes the flush visible in one step, all kinds together (L2, N-27). Returns the changes. */
  commit(place: FoldPlace): FoldedChanges;
}

/**
 * The rows of all clusters. Every call is synchronous and therefore atomic for readers. Rows of a disconnected cluster
 * stay as last known until they change (L4, L9).
 */
export interface FleetRows {
  /**
   * Prepares applying parts, in order. Equal rows change nothing. `isExact` requests the exact size after the fold,
   * which costs a fork of its kinds.
   */
  prepare<Part extends FoldPart>(cluster: string, parts: readonly Part[], isExact?: boolean): PreparedFold<Part>;
  /** Applies a stored part at once, without reporting changes. */
  load(cluster: string, part: FoldPart, place: FoldPlace): void;
  /** The flush folded last; undefined before the first. */
  applied(cluster: string): AppliedFlush | undefined;
  setApplied(cluster: string, applied: AppliedFlush): void;

  kindDigest(cluster: string, resource: string): Digest;
  /** The digests of the session's buckets, in order (SE24). */
  bucketDigests(cluster: string, resource: string): readonly Digest[];

  rowCount(cluster: string): number;
  size(cluster: string): ClusterSize;
  getRow(
    cluster: string,
    resource: string,
    key: { readonly namespace: string; readonly name: string },
  ): Row | undefined;
  /** Maintained with every fold, so reading is cheap. All zero for an unknown cluster or kind. */
  statusCounts(cluster: string, resource: string): StatusCounts;
  /**
   * The worst rows first; rows of one status in key order. Reads a byte or two of each row and builds only the returned
   * rows.
   */
  worstRows(cluster: string, resource: string, request: WorstRowsRequest): readonly Row[];
  /**
   * The time since when an object is in trouble, by the hub's wall clock. Undefined if it is not, or if the time is
   * unknown (HE18).
   */
  troubledSinceMs(
    cluster: string,
    resource: string,
    key: { readonly namespace: string; readonly name: string },
  ): number | undefined;
  /** The earliest such time of a kind; undefined if none is known. Reads all of them. */
  oldestTroubleMs(cluster: string, resource: string): number | undefined;
  /** Undefined for an unknown cluster or kind. */
  snapshot(cluster: string, resource: string): KindSnapshot | undefined;
  kinds(cluster?: string): readonly KindSummary[];
  clusters(): readonly string[];

  /** Whether the cluster's RBAC rows were ever complete. Readers show none of its rows before (L2). */
  isRbacComplete(cluster: string): boolean;
  setRbacComplete(cluster: string, isComplete: boolean): void;

  /** Removes the rows of a cluster that was removed, or that is about to be reloaded. */
  removeCluster(cluster: string): void;
}
