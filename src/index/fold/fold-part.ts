// SPDX-License-Identifier: Apache-2.0
// The types of folding: a decoded part, a fold that is being prepared, what it changed, a snapshot.
import type { ResourceId } from "../../model/gvr.ts";
import type { Digest } from "../../model/rows/digest.ts";
import type { ColumnSpec, Row } from "../../model/rows/row.ts";
import type { Status } from "../../model/status.ts";
import type { TablePart } from "../table/apply-part.ts";
import type { ClusterSize } from "./cluster-size.ts";
import type { PackedChanges } from "./packed-changes.ts";

/** One kind's part of a flush, decoded and checked. Nothing of the batch is kept after the fold. */
export interface FoldPart extends TablePart {
  /** The text of the resource id. */
  readonly resource: string;
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
  commit(place: FoldPlace): PackedChanges;
}

/** The facts about one (cluster, resource) without its rows. */
export interface TableFacts {
  readonly resource: string;
  /** The kind's name in the newest rows; "" before the first row. */
  readonly kind: string;
  readonly rowCount: number;
  /** When the hub received the newest change: the rows are at least this fresh (L9). */
  readonly receivedAtMs: number;
  /** The position of the rows in the fleet log. */
  readonly position: number;
}

/** The facts about one (cluster, resource), with the status of its rows. */
export interface TableSummary extends TableFacts {
  readonly statusCounts: Readonly<Record<Status, number>>;
  /** Since when its longest unhealthy or degraded object is so, by the hub's wall clock; undefined if none is known. */
  readonly troubledSinceMs: number | undefined;
}

/** The facts about one (cluster, resource), with the digest of its rows. */
export interface DigestedFacts extends TableFacts {
  readonly digest: Digest;
}

/** The rows of one (cluster, resource) at one moment. Changes during the read do not affect it. */
export interface KindSnapshot {
  readonly resource: ResourceId;
  readonly rowCount: number;
  /** The position of these rows in the fleet log. */
  readonly position: number;
  /** The rows in groups of equal columns, so that one batch can hold a group. */
  readonly groups: readonly SnapshotGroup[];
  /** The rows of all groups, in key order. */
  rows(): Iterable<Row>;
}

/** Rows that one batch can hold, up to the limits of its size. */
export interface SnapshotGroup {
  readonly kind: string;
  readonly columns: readonly ColumnSpec[];
  /** In key order. Builds the values anew on each call. */
  rows(): Iterable<Row>;
}
