// SPDX-License-Identifier: Apache-2.0
// The rows of the fleet as ingest, sessions and checkpoints use them. Rows are shown through fleet-reader.ts alone.

import type { ResourceId } from "../../model/gvr.ts";
import type { RowBatch } from "../../model/row-batch/row-batch.ts";
import type { Digest } from "../../model/rows/digest.ts";
import type { ColumnSpec, Row } from "../../model/rows/row.ts";
import type { SegmentForm } from "../../store/fleet-log/fleet-log.ts";
import type { ClusterSize } from "./cluster-limits.ts";
import type { ChangeKind, KindPosition, RowChange } from "./fleet-reader.ts";

/**
 * One kind's part of a flush, decoded and checked. The fleet's rows keeps the batch; its bytes must not change
 * afterwards.
 */
export interface FoldPart {
  /** The text of the resource id. */
  readonly resource: string;
  readonly form: SegmentForm;
  readonly batch: RowBatch;
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
 * The rows of all clusters as a fold target: flushes are folded into them, and their digests and sizes are compared.
 * Every call is synchronous and therefore atomic. It has no subject: nothing read here is shown to users.
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
  /** Undefined for an unknown cluster or kind. */
  snapshot(cluster: string, resource: string): KindSnapshot | undefined;
  kinds(cluster: string): readonly KindPosition[];
  clusters(): readonly string[];

  /** Whether the cluster's RBAC rows were ever complete. The reader shows none of its rows before (L2). */
  isRbacComplete(cluster: string): boolean;
  setRbacComplete(cluster: string, isComplete: boolean): void;

  /** Removes the rows of a cluster that was removed, or that is about to be reloaded. */
  removeCluster(cluster: string): void;
}
