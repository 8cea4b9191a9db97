// SPDX-License-Identifier: Apache-2.0
// The messages between the hub's main thread and its index thread: values that a thread boundary can copy.

import type { DigestedFacts } from "../../index/fold/fold-part.ts";
import type { PackedSection } from "../../index/fold/packed-changes.ts";
import type { LoadedSegment } from "../../store/fleet-log/fleet-log.ts";

/** One kind's part of a flush, as the agent sent it. */
export interface SentPart {
  /** The text of the resource id. */
  readonly resource: string;
  /** The code of the replaced bucket; 0 for a delta. */
  readonly replacedBucket: number;
  /** Compressed. */
  readonly bytes: Uint8Array;
}

/** The result of preparing a flush. */
export type PrepareOutcome =
  | {
      readonly kind: "prepared";
      /** The places of the parts that change something. Only these need storing (N-28). */
      readonly changing: readonly number[];
      /** The number of rows and deletes of each part. */
      readonly objectCounts: readonly number[];
    }
  | { readonly kind: "refused"; readonly refusal: FlushRefusal };

/** Why no part of a flush is accepted. */
export interface FlushRefusal {
  readonly reason: "malformed" | "overLimit" | "overClusterLimit";
  readonly detail: string;
}

/** The changes of a committed flush, and the kinds that it changed. */
export interface CommittedFlush {
  readonly changes: readonly PackedSection[];
  readonly kinds: readonly DigestedFacts[];
}

/** The changes of a stored flush, and the segments of it that cannot be read. */
export interface AppliedSegments extends CommittedFlush {
  readonly unreadable: readonly { readonly resource: string; readonly detail: string }[];
}

/** A segment of the fleet log, with its kind. */
export interface StoredSegment extends LoadedSegment {
  readonly resource: string;
}

/** The result of loading a stored segment. */
export type LoadOutcome =
  | {
      readonly kind: "loaded";
      readonly facts: DigestedFacts;
      readonly rowCount: number;
      /** Rows and deletes that failed the check of rows (CO66). */
      readonly droppedCount: number;
      /** The fault of the first of them; "" if none was dropped. */
      readonly fault: string;
    }
  /** The segment cannot be read. */
  | { readonly kind: "unreadable"; readonly detail: string };

/** A checkpoint that is being read from the index, piece by piece. */
export interface OpenCheckpoint {
  readonly id: number;
  /** The position of its rows in the fleet log. */
  readonly position: number;
}
