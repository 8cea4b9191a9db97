// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";
import { decodeStoredPart, type StoredPart } from "../../index/fold/decode-part.ts";
import { bytesPerFoldedRow } from "../../index/fold/flush-decoder.ts";
import { stepRowCount, type TablePart, type TableSink } from "../../index/table/apply-part.ts";
import type { KindTable } from "../../index/table/kind-table.ts";
import { maxBatchBytes } from "../../model/row-batch/format.ts";
import type { Codec } from "../../model/rows/codec.ts";
import type { Hasher } from "../../model/rows/hasher.ts";
import type { LoadedSegment } from "../../store/fleet-log/fleet-log.ts";
import type { PastLoadOutcome, PastSegments } from "./past-messages.ts";

export interface SegmentFolding {
  readonly codec: Codec;
  readonly hasher: Hasher;
  /** Resolves when so many rows may be processed in one step. Other work of the thread runs in between. */
  readonly takeTurn: (rowCount: number) => Promise<void>;
}

/** The table that segments are folded into. Nothing else may change it, or read it, meanwhile. */
export interface FoldTarget {
  readonly table: KindTable;
  /** Called before each step. It throws if the fold is no longer wanted. */
  readonly check: () => void;
  /** Called after some thousand rows. It throws if they take too much memory. */
  readonly onGrown: () => void;
  readonly sink?: TableSink;
  /** Called before a segment is applied. */
  readonly onSegment?: (segment: LoadedSegment) => void;
}

/** What a segment costs besides its rows, as a number of rows: some 0.15 ms of decompression, decoding and mapping. */
const rowsPerSegment = 128;

const noSink: TableSink = { added: () => undefined, changed: () => undefined, removed: () => undefined };

/** Copies a table in steps. The table must not change meanwhile. */
export async function copyInTurns(
  table: KindTable,
  check: () => void,
  takeTurn: SegmentFolding["takeTurn"],
): Promise<KindTable> {
  const steps = table.forkInSteps(0);
  for (;;) {
    await takeTurn(stepRowCount);
    check();
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Applies a part in steps. */
export async function applyInTurns(
  part: TablePart,
  { table, check, sink = noSink }: Pick<FoldTarget, "table" | "check" | "sink">,
  takeTurn: SegmentFolding["takeTurn"],
): Promise<void> {
  const steps = table.applyInSteps(part, sink);
  let leftCount = part.batch.rowCount + part.batch.deleteCount;
  for (let isDone = false; !isDone; ) {
    if (leftCount > 0) await takeTurn(Math.min(leftCount, stepRowCount));
    check();
    leftCount = Math.max(0, leftCount - stepRowCount);
    isDone = steps.next().done === true;
  }
  table.cluster.commit();
}

/** Folds segments of the log, in order. Those that cannot be read are left out and counted (L14, CO66). */
export async function foldSegments(
  { load: { resource }, segments }: PastSegments,
  target: FoldTarget,
  folding: SegmentFolding,
): Promise<PastLoadOutcome> {
  const outcome = { unreadableCount: 0, droppedCount: 0, detail: "" };
  let grownCount = 0;
  let unpacking = unpack(segments[0], folding.codec);
  for (const [at, segment] of segments.entries()) {
    const unpacked = await unpacking;
    // The next segment is decompressed while this one is folded.
    unpacking = unpack(segments[at + 1], folding.codec);
    unpacking.catch(() => undefined); // reported when it is awaited
    const decoded = unpacked instanceof FlotillaError ? unpacked : await decode(resource, segment, unpacked, folding);
    if (decoded instanceof FlotillaError) {
      outcome.unreadableCount += 1;
      outcome.detail ||= decoded.message;
      continue;
    }
    outcome.droppedCount += decoded.droppedCount;
    outcome.detail ||= decoded.fault;
    target.onSegment?.(segment);
    await applyInTurns(decoded.part, target, folding.takeTurn);
    target.table.settle(segment.receivedAtMs);
    grownCount += decoded.part.batch.rowCount;
    if (grownCount < stepRowCount) continue;
    target.onGrown();
    grownCount = 0;
  }
  return outcome;
}

async function unpack(segment: LoadedSegment | undefined, codec: Codec): Promise<Uint8Array | FlotillaError> {
  if (segment === undefined) return new Uint8Array(0);
  try {
    return await codec.decompress(segment.bytes, maxBatchBytes);
  } catch (reason) {
    if (!(reason instanceof FlotillaError)) throw reason;
    return reason;
  }
}

async function decode(
  resource: string,
  { form }: LoadedSegment,
  bytes: Uint8Array,
  { hasher, takeTurn }: SegmentFolding,
): Promise<StoredPart | FlotillaError> {
  await takeTurn(rowsPerSegment + Math.ceil(bytes.length / bytesPerFoldedRow));
  try {
    return decodeStoredPart({ resource, replacedBucket: form.kind === "replace" ? form.bucket : 0, bytes }, hasher);
  } catch (reason) {
    if (!(reason instanceof FlotillaError)) throw reason;
    return reason;
  }
}
