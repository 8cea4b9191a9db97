// SPDX-License-Identifier: Apache-2.0
// The messages of reads of past rows: values that the boundary between main thread and index thread can copy.
import type { LoadedSegment, LogPlace } from "../../store/fleet-log/fleet-log.ts";

/**
 * What a read needs of the past:
 * - `state`: the rows at one moment.
 * - `changes`: the rows at two moments, of kinds that changed in between.
 * - `deletes`: the objects that were deleted between two moments.
 */
export type PastPurpose = "state" | "changes" | "deletes";

/** A read of past rows: what the fleet log is asked for. */
export interface PastPlan {
  /** Milliseconds since 1970, ascending: one moment for a state, two otherwise. */
  readonly moments: readonly number[];
  readonly clusters: readonly string[];
  /** Undefined: all kinds. */
  readonly resources: ReadonlySet<string> | undefined;
}

/** What a read needs of one cluster, of kinds that the user may see. */
export interface PlacedCluster {
  /** The earliest moment that can be read; 0 for any. */
  readonly earliestMs: number;
  /** Whether it has rows at the first moment. */
  readonly hasRows: boolean;
  /**
   * When the hub received the newest change of a kind that the user sees completely, at the first moment. Undefined if
   * there is none: changes of other kinds may be changes of hidden objects (L17).
   */
  readonly asOfMs: number | undefined;
}

/** One load from the fleet log. */
export interface PastLoad {
  /**
   * - `rows`: the rows of a kind as of `upTo`.
   * - `touched`: the keys that may have changed between `from` and `upTo`. The rows as of `from` follow.
   * - `deletes`: the objects that were deleted between `from` and `upTo`.
   */
  readonly what: "rows" | "touched" | "deletes";
  readonly resource: string;
  readonly upTo: number;
  /** Only the segments after this place are loaded: the rows as of it are known. */
  readonly from?: Pick<LogPlace, "position" | "receivedAtMs">;
}

/** A page of segments of one load. */
export interface PastSegments {
  readonly cluster: string;
  readonly load: PastLoad;
  readonly segments: readonly LoadedSegment[];
}

/** Segments and rows that could not be read and were left out. `detail` is the first reason, "" if there is none. */
export interface PastLoadOutcome {
  readonly unreadableCount: number;
  readonly droppedCount: number;
  readonly detail: string;
  /** The further segments of the load are not needed. */
  readonly isEnough?: boolean;
}
