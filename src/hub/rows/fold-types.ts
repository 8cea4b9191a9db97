// SPDX-License-Identifier: Apache-2.0
// The types of folding: a decoded part, a fold that is being prepared, a snapshot.

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

/** The packed changes of one resource: a value that can be passed between threads. */
export interface PackedSection {
  readonly resource: string;
  /** The number of added, changed and removed rows. */
  readonly counts: readonly number[];
  readonly bytes: Uint8Array;
}

/** The facts about one (cluster, resource) that the main thread keeps. */
export interface HeldKindFacts extends KindPosition {
  readonly digest: Digest;
}

/** All changes of one flush, in order. */
export interface FoldedChanges {
  /** The changes as values that can be passed between threads. */
  readonly sections: readonly PackedSection[];
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
