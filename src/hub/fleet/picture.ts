// SPDX-License-Identifier: Apache-2.0
// What ingest folds flushes into and readers see of the fleet. Another index can stand in its place.
import type { Digest } from "../../model/digest.ts";
import type { ResourceId } from "../../model/gvr.ts";
import type { ColumnSpec, Row } from "../../model/row.ts";
import type { RowBatch } from "../../model/row-batch/row-batch.ts";
import type { Status } from "../../model/status.ts";
import type { SegmentForm } from "../../store/fleet-log.ts";
import type { ClusterSize } from "./cluster-limits.ts";

/** One kind's part of a flush, decoded and checked. The picture keeps the batch; nobody changes its bytes afterwards. */
export interface PicturePart {
  /** The text of the resource id. */
  readonly resource: string;
  readonly form: SegmentForm;
  readonly batch: RowBatch;
}

/** How one row changed. An object in another's place is two changes: removed, then added. */
export type ChangeKind = "added" | "changed" | "removed";

/** A change of one object. */
export interface RowChange {
  readonly kind: ChangeKind;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** All changes of one flush, in the order in which they were made. */
export interface FoldedChanges {
  readonly length: number;
  readonly sizeBytes: number;
  /** Makes the values, anew each time; nobody keeps them. */
  list(): readonly RowChange[];
  /** How many changes of each kind there are, by resource. A resource may come more than once. */
  counts(): Iterable<{ readonly resource: string; readonly kind: ChangeKind; readonly count: number }>;
}

/** Rows of one (cluster, resource) at one moment, whatever happens while they are read. */
export interface KindSnapshot {
  readonly resource: ResourceId;
  readonly rowCount: number;
  /** Where in the fleet log it stands. */
  readonly position: number;
  /** The rows in groups of equal columns: what one batch can hold. */
  readonly groups: readonly SnapshotGroup[];
  /** The rows of all groups. In no order. */
  rows(): Iterable<Row>;
}

/** Rows that came together, or were put together since. */
export interface SnapshotGroup {
  readonly kind: string;
  readonly columns: readonly ColumnSpec[];
  rows(): Iterable<Row>;
}

/** What is known of one (cluster, resource) without its rows. */
export interface KindSummary {
  readonly cluster: string;
  readonly resource: string;
  /** The kind's name as the newest rows have it; "" where none ever came. */
  readonly kind: string;
  readonly rowCount: number;
  /** The hub's receive time of the newest change: rows are at least so fresh (L9). */
  readonly receivedAtMs: number;
  /** Where in the fleet log it stands. */
  readonly position: number;
}

/** How many rows have each status. */
export type StatusCounts = Readonly<Record<Status, number>>;

/** Which rows `worstRows` is asked for: those of this status and worse ones, at most so many. */
export interface WorstRowsRequest {
  readonly status: Status;
  readonly limit: number;
}

/** How far a cluster's rows are folded: the newest flush, as the fleet log numbers it. */
export interface AppliedFlush {
  readonly incarnation: string;
  readonly seq: number;
}

/** Where a flush stands in the fleet log. */
export interface FoldPlace {
  /** Where its parts end. */
  readonly position: number;
  readonly receivedAtMs: number;
}

/**
 * A flush on its way into the picture. Nobody sees anything of it before `commit`, and dropping it undoes nothing, for nothing was done. Nothing else of
 * its cluster may be folded or forgotten meanwhile.
 */
export interface PreparedFold<Part extends PicturePart> {
  /** The work that need not be one step, in steps of a few milliseconds. To be run to its end, once, before anything else is asked. */
  steps(): Iterable<void>;
  /** The parts that change something, in order: what is worth keeping (N-28). */
  readonly changing: readonly Part[];
  /** What the cluster has once this is committed; never less. Exact where that was asked for. */
  readonly sizeAfter: ClusterSize;
  /** Rows that `commit` is going to look at: 0 where the steps did that. */
  readonly commitRowCount: number;
  /** Makes the flush visible in one step, all kinds together (L2, N-27), and tells what changed. */
  commit(place: FoldPlace): FoldedChanges;
}

/**
 * The rows of all clusters. Every call is synchronous, so what it does is one step for every reader. Nothing here removes a
 * row because somebody went away: rows stay as last known until they are changed (L4, L9).
 */
export interface Picture {
  /** Begins to apply parts, in order. What is equal changes nothing. `isExact`: its size afterwards is wanted exactly, which costs a fork of its kinds. */
  prepare<Part extends PicturePart>(cluster: string, parts: readonly Part[], isExact?: boolean): PreparedFold<Part>;
  /** Applies a part of history at once and tells nobody. */
  load(cluster: string, part: PicturePart, place: FoldPlace): void;
  /** Which flush was folded last; undefined before the first. */
  applied(cluster: string): AppliedFlush | undefined;
  setApplied(cluster: string, applied: AppliedFlush): void;

  kindDigest(cluster: string, resource: string): Digest;
  /** Of the session's buckets, in order (SE24). */
  bucketDigests(cluster: string, resource: string): readonly Digest[];

  rowCount(cluster: string): number;
  size(cluster: string): ClusterSize;
  getRow(
    cluster: string,
    resource: string,
    key: { readonly namespace: string; readonly name: string },
  ): Row | undefined;
  /** Kept up with every row that is folded, so asking costs nothing. All zero for what was never seen. */
  statusCounts(cluster: string, resource: string): StatusCounts;
  /** The worst first, those of one status in key order. It reads a byte or two of each row and makes only the rows it gives. */
  worstRows(cluster: string, resource: string, request: WorstRowsRequest): readonly Row[];
  /** Since when an object is in trouble, by the hub's wall clock; undefined where it is not, or that is not known (HE18). */
  troubledSinceMs(
    cluster: string,
    resource: string,
    key: { readonly namespace: string; readonly name: string },
  ): number | undefined;
  /** The earliest of a kind's; undefined where none is known. Reads each of them. */
  oldestTroubleMs(cluster: string, resource: string): number | undefined;
  /** Undefined for what was never seen. */
  snapshot(cluster: string, resource: string): KindSnapshot | undefined;
  kinds(cluster?: string): readonly KindSummary[];
  clusters(): readonly string[];

  /** Whether the cluster's RBAC rows were ever complete; readers show none of its rows before (L2). */
  isRbacComplete(cluster: string): boolean;
  setRbacComplete(cluster: string, isComplete: boolean): void;

  /** Forgets a cluster that was removed, or one whose rows are to be loaded anew. */
  removeCluster(cluster: string): void;
}
