// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";
import { decodeStoredKeys, decodeStoredPart, type StoredPart } from "../../index/fold/decode-part.ts";
import { bytesPerFoldedRow } from "../../index/fold/flush-decoder.ts";
import { stepRowCount, type TablePart, type TableSink } from "../../index/table/apply-part.ts";
import type { KindTable } from "../../index/table/kind-table.ts";
import type { BatchKeys } from "../../model/row-batch/decode-keys.ts";
import { maxBatchBytes } from "../../model/row-batch/format.ts";
import type { Codec } from "../../model/rows/codec.ts";
import type { Hasher } from "../../model/rows/hasher.ts";
import type { LoadedSegment } from "../../store/fleet-log/fleet-log.ts";
import type { PastLoadOutcome, PastSegments } from "./past-messages.ts";
import type { TouchedKeys } from "./touched-keys.ts";

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
  /** Only these objects are folded. The table has no others. */
  readonly only?: FoldedObjects | undefined;
}

/** The objects that are folded of segments that have others too. */
export interface FoldedObjects {
  readonly keys: TouchedKeys;
  /** Called with the keys of each segment. */
  readonly onKeys: (keys: BatchKeys) => void;
}

/** What a segment costs besides its rows, as a number of rows: some 0.15 ms of decompression, decoding and mapping. */
export const rowsPerSegment = 128;

const noSink: TableSink = { added: () => undefined, changed: () => undefined, removed: () => undefined };

/** Runs steps of some 2 ms each, in turns. */
export async function runInTurns<Result>(
  steps: Generator<void, Result, undefined>,
  check: () => void,
  takeTurn: SegmentFolding["takeTurn"],
): Promise<Result> {
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
  { table, check, sink = noSink, only }: Pick<FoldTarget, "table" | "check" | "sink" | "only">,
  takeTurn: SegmentFolding["takeTurn"],
): Promise<void> {
  const steps = table.applyInSteps(part, sink, only?.keys);
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
  for await (const { segment, bytes } of unpackAll(segments, folding.codec)) {
    const decoded = await decode(resource, { segment, bytes }, folding, target.only);
    if (decoded === undefined) continue;
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

/** The keys of segments of the log, in order. Ends after one that cannot be read. */
export async function* readKeys(
  { load: { resource }, segments }: PastSegments,
  { codec, hasher, takeTurn }: SegmentFolding,
): AsyncGenerator<{ readonly segment: LoadedSegment; readonly keys: BatchKeys | FlotillaError }, void, undefined> {
  for await (const { segment, bytes } of unpackAll(segments, codec)) {
    if (!(bytes instanceof FlotillaError)) await takeTurn(turnOf(bytes));
    const keys = readOrFail(bytes, (read) => decodeStoredKeys({ resource, bytes: read }, hasher));
    yield { segment, keys };
    if (keys instanceof FlotillaError) return;
  }
}

/** A segment, decompressed, or why it cannot be. */
interface UnpackedSegment {
  readonly segment: LoadedSegment;
  readonly bytes: Uint8Array | FlotillaError;
}

/** Decompresses segments, each while the one before it is used. */
async function* unpackAll(
  segments: readonly LoadedSegment[],
  codec: Codec,
): AsyncGenerator<UnpackedSegment, void, undefined> {
  let unpacking = unpack(segments[0], codec);
  for (const [at, segment] of segments.entries()) {
    const bytes = await unpacking;
    unpacking = unpack(segments[at + 1], codec);
    unpacking.catch(() => undefined); // reported when it is awaited
    yield { segment, bytes };
  }
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

/** Undefined for a segment that changes none of the objects that are folded. */
async function decode(
  resource: string,
  { segment: { form }, bytes }: UnpackedSegment,
  { hasher, takeTurn }: SegmentFolding,
  only: FoldedObjects | undefined,
): Promise<StoredPart | FlotillaError | undefined> {
  if (bytes instanceof FlotillaError) return bytes;
  await takeTurn(turnOf(bytes));
  return readOrFail(bytes, (read) => {
    if (only !== undefined) {
      const keys = decodeStoredKeys({ resource, bytes: read }, hasher);
      only.onKeys(keys);
      if (form.kind !== "replace" && !only.keys.hasSome(keys)) return undefined;
    }
    return decodeStoredPart(
      { resource, replacedBucket: form.kind === "replace" ? form.bucket : 0, bytes: read },
      hasher,
    );
  });
}

/** What decoding costs, as a number of rows. */
function turnOf(bytes: Uint8Array): number {
  return rowsPerSegment + Math.ceil(bytes.length / bytesPerFoldedRow);
}

function readOrFail<Read>(bytes: Uint8Array | FlotillaError, read: (bytes: Uint8Array) => Read): Read | FlotillaError {
  if (bytes instanceof FlotillaError) return bytes;
  try {
    return read(bytes);
  } catch (reason) {
    if (!(reason instanceof FlotillaError)) throw reason;
    return reason;
  }
}
