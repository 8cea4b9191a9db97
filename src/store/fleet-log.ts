// SPDX-License-Identifier: Apache-2.0
// What hub code sees of observed history: row batches exactly as agents sent them. The rules: docs/spec/store.md, FL1 on.
// All of it can cross a thread as it is, so the interface is at once the engine's; a WorkerPort makes it asynchronous.
import type { WorkerPort } from "./store-engine.ts";

/** How a segment changes the rows before it: by upserts and deletes, or by replacing one bucket of the kind's keys. */
export type SegmentForm = { readonly kind: "delta" } | { readonly kind: "replace"; readonly bucket: number };

/** One kind's part of a flush. */
export interface FlushPart {
  /** The text of its resource id (CO2). */
  readonly resource: string;
  readonly form: SegmentForm;
  readonly bytes: Uint8Array;
}

/** What one agent sent in one step. */
export interface Flush {
  readonly cluster: string;
  readonly shard: string;
  readonly epoch: number;
  readonly incarnation: string;
  readonly seq: number;
  readonly parts: readonly FlushPart[];
}

export type AppendOutcome =
  /** Durable up to `position` of the log. The time is the hub's, and never before that of an earlier append of the cluster (FL8). */
  | { readonly kind: "appended"; readonly receivedAtMs: number; readonly position: number }
  /** Durable already. */
  | { readonly kind: "duplicate"; readonly seq: number }
  /** `expected` is the seq that would follow. */
  | { readonly kind: "gap"; readonly expected: number }
  | { readonly kind: "fenced"; readonly epoch: number };

/** How far a session is durable (FL5). */
export interface LogProgress {
  readonly epoch: number;
  readonly incarnation: string;
  readonly seq: number;
  readonly receivedAtMs: number;
}

/** What became of the epoch of a session that is about to begin (FL2). */
export type RaiseOutcome =
  /** Lower epochs can append nothing from now on. `durable` is how far the session's predecessors got. */
  | { readonly kind: "raised"; readonly durable: LogProgress }
  /** Another session took this epoch or a higher one, and nothing was changed. */
  | { readonly kind: "fenced"; readonly epoch: number };

/** A piece of history, to be folded in the order given. A checkpoint's pieces come first and start from nothing. */
export interface LoadedSegment {
  /** Where it stands in the log; a later page starts behind it. A checkpoint's pieces all have the position they cover. */
  readonly position: number;
  readonly form: SegmentForm | { readonly kind: "checkpoint"; readonly piece: number };
  readonly receivedAtMs: number;
  readonly bytes: Uint8Array;
}

export interface LoadRequest {
  readonly cluster: string;
  readonly resource: string;
  /** The newest state when left out. */
  readonly asOfMs?: number;
  /** Leaves out what was appended behind this position of the log: loads of several resources then show one state (FL15). */
  readonly upTo?: number;
  /** From the page before. */
  readonly after?: LoadCursor;
  /** A page ends with the segment that reaches this. */
  readonly bytesLimit: number;
}

/** Where a load goes on: it stays with the checkpoint it began with, whatever is written meanwhile. */
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

/** One step of the log as a follower of all clusters reads it. */
export type LoggedStep =
  | {
      readonly kind: "flush";
      /** Of its last segment. */
      readonly position: number;
      readonly cluster: string;
      readonly incarnation: string;
      readonly seq: number;
      readonly receivedAtMs: number;
      /** All of the flush (FL13). */
      readonly parts: readonly FlushPart[];
    }
  /** The history of the cluster was removed: nothing of it from before this position counts. */
  | { readonly kind: "removed"; readonly position: number; readonly cluster: string };

export interface FollowRequest {
  /** Steps behind this position are wanted; 0 = from the beginning. */
  readonly after: number;
  /** A page ends with the flush that reaches this. */
  readonly bytesLimit: number;
}

export interface FollowPage {
  /** In commit order. */
  readonly steps: readonly LoggedStep[];
  /** Every step up to here has been given: what the next request names as `after`. */
  readonly position: number;
  /** The newest position of the log. */
  readonly headPosition: number;
}

/** Names of what the log holds. */
export interface LoggedResource {
  readonly cluster: string;
  readonly resource: string;
}

/**
 * The fleet log, engine and interface in one. Calls are answered in order. Several processes may have it open. `load` throws GONE for a time before what retention
 * kept (FL9).
 */
export interface FleetLogEngine {
  append(flush: Flush): Answer<AppendOutcome>;
  /** Gives an epoch to one session: lower ones can append nothing from then on. Each epoch is given once (FL2). */
  raiseEpoch(cluster: string, shard: string, epoch: number): Answer<RaiseOutcome>;
  progress(cluster: string, shard: string): Answer<LogProgress | undefined>;
  resources(): Answer<readonly LoggedResource[]>;
  load(request: LoadRequest): Answer<LoadPage>;
  /** The newest position that was given out; 0 for an empty log. */
  headPosition(): Answer<number>;
  /** Steps of all clusters behind a position, appended by any hub (FL12). Throws GONE where some of them were removed, or for a position of another log. */
  follow(request: FollowRequest): Answer<FollowPage>;
  /** Begins a checkpoint of (cluster, resource) that sums up every segment up to `position`. Answers its number. */
  beginCheckpoint(cluster: string, resource: string, position: number): Answer<number>;
  /** Adds the next piece, of at most 1 MiB (FL7). */
  addCheckpointPiece(checkpoint: number, bytes: Uint8Array): Answer<void>;
  completeCheckpoint(checkpoint: number): Answer<void>;
  /** Removes in bounded pieces what no question after `beforeMs` needs; `more` = call again (FL9). */
  retain(beforeMs: number): Answer<{ readonly removed: number; readonly more: boolean }>;
  /** Forgets a cluster's history, in bounded pieces, but not its epochs (FL10); `more` = call again. */
  removeCluster(cluster: string): Answer<{ readonly more: boolean }>;
  close(): Answer<void>;
}

type Answer<Value> = Value | Promise<Value>;

/** The fleet log as hub code holds it. */
export type FleetLog = WorkerPort<FleetLogEngine>;

/** Bytes of one checkpoint piece at the most (FL7): a transaction of a few milliseconds. */
export const checkpointPieceBytes = 1024 * 1024;
