// SPDX-License-Identifier: Apache-2.0
// Reads of the fleet's rows, each for a subject. Everything that shows rows or their counts reads through this
// interface.
import type { Row } from "../../model/rows/row.ts";
import type { Status } from "../../model/status.ts";
import type { Subject } from "../../model/subject.ts";
import type { FleetQueries } from "./fleet-queries.ts";

/** The facts about one (cluster, resource) without its rows. */
export interface KindPosition {
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

/** The facts about one (cluster, resource), with the status of its rows. */
export interface KindSummary extends KindPosition {
  /** Undefined while the cluster's rows are not shown. */
  readonly statusCounts: StatusCounts | undefined;
  /** Since when its longest unhealthy or degraded object is so, by the hub's wall clock; undefined if none is known. */
  readonly troubledSinceMs: number | undefined;
  /** Whether the subject may see every object of the kind. */
  readonly isWhole: boolean;
}

/** The rows of one cluster in numbers, at one moment. */
export interface ClusterSummary {
  /**
   * False until the cluster's RBAC rows were complete (L2). The numbers of rows are known before, their status is not.
   */
  readonly areRowsShown: boolean;
  readonly rowCount: number;
  /** In no order. */
  readonly kinds: readonly KindSummary[];
  /** The key of what the subject sees of the cluster, as in `listAccessKeys`, at the same moment. */
  readonly accessKey: string;
}

/** Selects rows of this status and of worse ones, at most `limit` rows. */
export interface WorstRowsRequest {
  readonly status: Status;
  readonly limit: number;
  /** The rows are read only if this is still the key of what the subject sees. Rows read for a key are shown to others. */
  readonly accessKey?: string;
}

/** A row with its kind. */
export interface WorstRow {
  readonly resource: string;
  readonly kind: string;
  readonly row: Row;
  /** Since when the object is in trouble, by the hub's wall clock; undefined if it is not, or if unknown (HE18). */
  readonly troubledSinceMs: number | undefined;
}

/** Names one object of the fleet. */
export interface FleetKey {
  readonly cluster: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

/** The status of the object that has a key. */
export interface KeyStatus {
  readonly uid: string;
  readonly status: Status;
}

/** Rows of one kind, within bounds of count and size. */
export interface KindPage {
  readonly resource: string;
  readonly kind: string;
  readonly rows: readonly Row[];
}

/** The rows of one cluster at one moment, however long they are read. */
export interface ClusterSnapshot extends ClusterSummary {
  /** Kind by kind, in no order within a kind. Each page is created when it is requested. */
  pages(): AsyncIterable<KindPage>;
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

/** The changes of one flush, at one position of the feed. */
export interface FlushChanges {
  /** Increments by one with each flush. */
  readonly position: number;
  readonly cluster: string;
  /** The time at which the hub received the flush. */
  readonly receivedAtMs: number;
  readonly changes: readonly RowChange[];
}

/** The position of a reader. A feed lives as long as its hub process, so a position is valid in one feed only. */
export interface FeedCursor {
  readonly feedId: string;
  readonly position: number;
}

/** The changes that a reader of the feed needs. */
export interface WantedChanges {
  /** Undefined or empty: of all clusters. */
  readonly clusters?: ReadonlySet<string>;
  /** Undefined or empty: of all resources. */
  readonly resources?: ReadonlySet<string>;
}

/**
 * The change feed for one subject. A flush of a cluster whose rows are not shown, and one without a wanted change, has
 * a position and no changes (L2).
 */
export interface ChangeReader {
  /** The position after the newest change. A reader of the current rows continues from here. */
  readonly cursor: FeedCursor;
  /** The position before the oldest kept change. */
  readonly oldest: FeedCursor;
  /** Throws GONE if changes after the cursor are no longer kept, or if the cursor belongs to another feed. */
  assertKept(cursor: FeedCursor): void;
  /**
   * The changes after the cursor as they arrive, until the signal aborts. Throws as `assertKept`, and PERMISSION_DENIED
   * at the next flush after the subject lost its right.
   */
  read(from: FeedCursor, signal: AbortSignal): AsyncIterable<FlushChanges>;
  /** The kept changes up to a position, newest first. Does not wait. */
  readBack(upTo: number): AsyncIterable<FlushChanges>;
}

/** The most keys of one `getStatuses`: the changes of one message. */
export const maxKeyCount = 2_000;

/**
 * Reads the fleet's rows. The rule of what a subject sees is decided here and nowhere else: a subject that may not list
 * rows gets none, and no row of a cluster is shown before its RBAC rows were complete (L2). Answers are values: they do
 * not change afterwards, and each has a bound. Rows of a disconnected cluster stay as last known (L4, L9).
 *
 * Except where stated, a read rejects with PERMISSION_DENIED for a subject that may not list rows.
 */
export interface FleetReader {
  /** Another number each time that what some subject sees may have changed. */
  loadAccessVersion(): Promise<number>;
  /**
   * For each subject, by cluster, a key that is equal for subjects who see the same objects of that cluster. Undefined
   * for a subject that may not list rows.
   */
  listAccessKeys(subjects: readonly Subject[]): Promise<readonly (ReadonlyMap<string, string> | undefined)[]>;
  /** The clusters that have rows. */
  listClusters(subject: Subject): Promise<readonly string[]>;
  /** All zero for an unknown cluster. Undefined, not an error, for a subject that may not list rows. */
  summarize(subject: Subject, cluster: string): Promise<ClusterSummary | undefined>;
  /**
   * The worst rows of a cluster first, of one status in the order of resource and key. Besides `limit` bounded to the
   * size of a message. Empty while rows are not shown; undefined if the access key is another one now.
   */
  listWorstRows(subject: Subject, cluster: string, request: WorstRowsRequest): Promise<readonly WorstRow[] | undefined>;
  /** One per key, in order; undefined for an object that is absent or not shown. At most `maxKeyCount` keys. */
  getStatuses(subject: Subject, keys: readonly FleetKey[]): Promise<readonly (KeyStatus | undefined)[]>;
  /**
   * All rows of these resources; of all resources if omitted. Rejects with UNAVAILABLE for a cluster that has rows
   * which are not shown yet.
   */
  snapshot(subject: Subject, cluster: string, resources?: ReadonlySet<string>): Promise<ClusterSnapshot>;
  /** The change feed. Its methods throw PERMISSION_DENIED for a subject that may not watch rows. */
  changes(subject: Subject, wanted?: WantedChanges): ChangeReader;

  /** Queries over the rows of all clusters, as one subject. */
  queries(subject: Subject): FleetQueries;

  /** The kinds that have rows. As Kubernetes' discovery, names of kinds are visible to every subject. */
  listKinds(subject: Subject, cluster: string): Promise<readonly Pick<KindPosition, "resource" | "kind">[]>;
  /** By resource, the other names that the cluster's CustomResourceDefinitions give it. Visible as `listKinds`. */
  listDefinedNames(subject: Subject, cluster: string): Promise<ReadonlyMap<string, readonly string[]>>;
}
