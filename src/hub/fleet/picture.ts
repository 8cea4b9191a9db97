// SPDX-License-Identifier: Apache-2.0
// What ingest folds flushes into and readers see of the fleet. Another index can stand in its place.
import type { Digest } from "../../model/digest.ts";
import type { ResourceId } from "../../model/gvr.ts";
import type { ColumnSpec, Row } from "../../model/row.ts";
import type { RowBatch } from "../../model/row-batch/row-batch.ts";
import type { SegmentForm } from "../../store/fleet-log.ts";

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
  readonly rowCount: number;
  /** The hub's receive time of the newest change: rows are at least so fresh (L9). */
  readonly receivedAtMs: number;
  /** Where in the fleet log it stands. */
  readonly position: number;
}

/** How far a cluster's rows are folded: the newest flush, as the fleet log numbers it. */
export interface AppliedFlush {
  readonly incarnation: string;
  readonly seq: number;
}

/** What a fold needs to know of a flush. */
export interface FoldRequest {
  readonly cluster: string;
  readonly parts: readonly PicturePart[];
  /** Where in the fleet log its parts end. */
  readonly position: number;
  readonly receivedAtMs: number;
}

/**
 * The rows of all clusters. Every call is synchronous, so a fold is one step for every reader (L2, N-27). Nothing here removes a
 * row because somebody went away: rows stay as last known until they are changed (L4, L9).
 */
export interface Picture {
  /** Whether a part, by itself, would change anything now (N-28). */
  wouldChange(cluster: string, part: PicturePart): boolean;
  /** Applies all parts in order and tells what changed. What is equal changes nothing. */
  fold(request: FoldRequest): readonly RowChange[];
  /** Which flush was folded last; undefined before the first. */
  applied(cluster: string): AppliedFlush | undefined;
  setApplied(cluster: string, applied: AppliedFlush): void;

  kindDigest(cluster: string, resource: string): Digest;
  /** Of the session's buckets, in order (SE24). */
  bucketDigests(cluster: string, resource: string): readonly Digest[];

  rowCount(cluster: string): number;
  getRow(
    cluster: string,
    resource: string,
    key: { readonly namespace: string; readonly name: string },
  ): Row | undefined;
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
