// SPDX-License-Identifier: Apache-2.0
// The interface to observed history: row batches exactly as agents sent them. The rules: docs/spec/store.md, FL1 on.
// All values can cross a thread, so the engine has the same interface; a WorkerPort makes it asynchronous.
import type { WorkerPort } from "../../base/worker-port.ts";

/** How a segment changes the rows before it: by upserts and deletes, or by replacing one bucket of the kind's keys. */
export type SegmentForm = { readonly kind: "delta" } | { readonly kind: "replace"; readonly bucket: number };

/** One kind's part of a flush. */
export interface FlushPart {
  /** The text of its resource id (CO2). */
  readonly resource: string;
  readonly form: SegmentForm;
  readonly bytes: Uint8Array;
}

/** The rows that one agent sent in one step. */
export interface Flush {
  readonly cluster: string;
  readonly shard: string;
  readonly epoch: number;
  readonly incarnation: string;
  readonly seq: number;
  readonly parts: readonly FlushPart[];
}

export type AppendOutcome =
  /**
   * Durable up to `position` of the log. The time is the hub's, and never before that of an earlier append of the
   * cluster (FL8).
   */
  | { readonly kind: "appended"; readonly receivedAtMs: number; readonly position: number }
  /** Already durable. */
  | { readonly kind: "duplicate"; readonly seq: number }
  /** `expected` is the next seq. */
  | { readonly kind: "gap"; readonly expected: number }
  | { readonly kind: "fenced"; readonly epoch: number };

/** The durable progress of a session (FL5). */
export interface LogProgress {
  readonly epoch: number;
  readonly incarnation: string;
  readonly seq: number;
  readonly receivedAtMs: number;
}

/** The outcome of raising the epoch for a new session (FL2). */
export type RaiseOutcome =
  /** Lower epochs can no longer append. `durable` is the progress of the earlier sessions. */
  | { readonly kind: "raised"; readonly durable: LogProgress }
  /** Another session took this epoch or a higher one. Nothing was changed. */
  | { readonly kind: "fenced"; readonly epoch: number };

/**
 * A piece of history. Pieces are folded in the given order. A checkpoint's pieces come first and start from no rows.
 */
export interface LoadedSegment {
  /**
   * The position in the log; a later page starts after it. All pieces of a checkpoint have the position that they
   * cover.
   */
  readonly position: number;
  readonly form: SegmentForm | { readonly kind: "checkpoint"; readonly piece: number };
  readonly receivedAtMs: number;
  readonly bytes: Uint8Array;
}

export interface LoadRequest {
  readonly cluster: string;
  readonly resource: string;
  /** Default: the newest state. */
  readonly asOfMs?: number;
  /** Omits appends after this position of the log, so that loads of several resources show one state (FL15). */
  readonly upTo?: number;
  /** Omits the rows as of this place, which the caller has: only later segments are returned (FL19). */
  readonly from?: Pick<LogPlace, "position" | "receivedAtMs">;
  /** `next` of the previous page. */
  readonly after?: LoadCursor;
  /** A page ends with the segment that reaches this size. */
  readonly bytesLimit: number;
}

/** The place at which a load continues. A load keeps the checkpoint that it began with, regardless of later writes. */
export interface LoadCursor {
  readonly checkpoint: number;
  readonly piece: number;
  readonly position: number;
}

export interface LoadPage {
  readonly segments: readonly LoadedSegment[];
  /** Absent on the last page. */
  readonly next?: LoadCursor;
}

/** The newest change of one (cluster, resource) at or before a moment (FL18). */
export interface LogPlace {
  readonly resource: string;
  /** A load up to this position shows the rows of the moment. 0: there are none, or they are no longer kept. */
  readonly position: number;
  readonly receivedAtMs: number;
  /** The earliest moment whose rows are kept; 0 if nothing was removed. */
  readonly earliestMs: number;
}

export interface PlacesRequest {
  readonly cluster: string;
  readonly atMs: number;
  /** Default: all resources of the cluster. */
  readonly resources?: readonly string[];
}

/** One step of the log, for a follower of all clusters. */
export type LoggedStep =
  | {
      readonly kind: "flush";
      /** The position of its last segment. */
      readonly position: number;
      readonly cluster: string;
      readonly incarnation: string;
      readonly seq: number;
      readonly receivedAtMs: number;
      /** All parts of the flush (FL13). */
      readonly parts: readonly FlushPart[];
    }
  /** The history of the cluster was removed: its steps before this position no longer apply. */
  | { readonly kind: "removed"; readonly position: number; readonly cluster: string };

export interface FollowRequest {
  /** Only steps after this position are returned; 0 = from the beginning. */
  readonly after: number;
  /** A page ends with the flush that reaches this size. */
  readonly bytesLimit: number;
}

export interface FollowPage {
  /** In commit order. */
  readonly steps: readonly LoggedStep[];
  /** All steps up to this position have been returned. It is the next request's `after`. */
  readonly position: number;
  /** The newest position of the log. */
  readonly headPosition: number;
}

/** A (cluster, resource) in the log. */
export interface LoggedResource {
  readonly cluster: string;
  readonly resource: string;
}

/**
 * The fleet log: both the engine and its interface. Calls are answered in order. Several processes may have it open.
 * `load` throws GONE for a time that retention has removed (FL9).
 */
export interface FleetLogEngine {
  append(flush: Flush): Answer<AppendOutcome>;
  /** Assigns an epoch to one session: lower epochs can no longer append. Each epoch is assigned once (FL2). */
  raiseEpoch(cluster: string, shard: string, epoch: number): Answer<RaiseOutcome>;
  progress(cluster: string, shard: string): Answer<LogProgress | undefined>;
  resources(): Answer<readonly LoggedResource[]>;
  load(request: LoadRequest): Answer<LoadPage>;
  /** The places of a cluster's resources at a moment, by resource. Resources without history are left out (FL18). */
  places(request: PlacesRequest): Answer<readonly LogPlace[]>;
  /** The newest assigned position; 0 for an empty log. */
  headPosition(): Answer<number>;
  /**
   * The steps of all clusters after a position, appended by any hub (FL12). Throws GONE if some of them were removed,
   * or for a position of another log.
   */
  follow(request: FollowRequest): Answer<FollowPage>;
  /** Begins a checkpoint of (cluster, resource) that covers every segment up to `position`. Returns its id. */
  beginCheckpoint(cluster: string, resource: string, position: number): Answer<number>;
  /** Adds the next piece, of at most 1 MiB (FL7). */
  addCheckpointPiece(checkpoint: number, bytes: Uint8Array): Answer<void>;
  completeCheckpoint(checkpoint: number): Answer<void>;
  /** Removes, in bounded steps, the history that no query after `beforeMs` needs. `more`: call again (FL9). */
  retain(beforeMs: number): Answer<{ readonly removed: number; readonly more: boolean }>;
  /** Removes a cluster's history, in bounded steps, but not its epochs (FL10). `more`: call again. */
  removeCluster(cluster: string): Answer<{ readonly more: boolean }>;
  close(): Answer<void>;
}

type Answer<Value> = Value | Promise<Value>;

/** The fleet log as used by hub code. */
export type FleetLog = WorkerPort<FleetLogEngine>;

/** The limit on the bytes of one checkpoint piece (FL7): a transaction of a few milliseconds. */
export const checkpointPieceBytes = 1024 * 1024;
