// SPDX-License-Identifier: Apache-2.0
// Writes checkpoints in the background. They shorten a start and let retention delete old segments (FL6, FL9).
import { isCancellation, throwIfAborted } from "../../base/abort.ts";
import type { Logger } from "../../base/log.ts";
import type { Clock } from "../../base/time/clock.ts";
import { encodeRowBatch } from "../../model/row-batch/encode.ts";
import type { Codec } from "../../model/rows/codec.ts";
import type { Hasher } from "../../model/rows/hasher.ts";
import type { Row } from "../../model/rows/row.ts";
import { checkpointPieceBytes, type FleetLog } from "../../store/fleet-log/fleet-log.ts";
import type { FleetRows, KindSnapshot, SnapshotGroup } from "../rows/fleet-rows.ts";
import type { LogSize, LogSizes } from "./log-sizes.ts";

/** The number of segments after a checkpoint that makes the next one due. A load reads and decodes each segment. */
const maxSegmentCount = 512;

/**
 * The number of bytes after a checkpoint that makes the next one due. The bytes must also reach the size of that
 * checkpoint, which keeps the writing proportional.
 */
const minSegmentBytes = 4 * 1024 * 1024;

/** The interval between two checks of the sizes. */
const intervalMs = 10_000;

export interface CheckpointOptions {
  readonly fleetLog: FleetLog;
  readonly fleetRows: FleetRows;
  readonly codec: Codec;
  readonly hasher: Hasher;
  readonly sizes: LogSizes;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Whether a load of this kind reads enough to justify a checkpoint. */
export function isCheckpointDue({ segmentCount, segmentBytes, checkpointBytes }: LogSize): boolean {
  return segmentCount >= maxSegmentCount || segmentBytes >= Math.max(minSegmentBytes, checkpointBytes);
}

/** Rows in one piece: some 10 ms of encoding, and far below the size limit of a piece unless rows are large. */
const pieceRowCount = 2_048;

/** The fields that all rows of one batch share. */
type Shape = Pick<SnapshotGroup, "kind" | "columns">;

function isSameShape(a: Shape, b: Shape): boolean {
  return JSON.stringify([a.kind, a.columns]) === JSON.stringify([b.kind, b.columns]);
}

/** Joins adjacent groups of one shape, so that a checkpoint has few pieces. */
function* toPieces({ groups }: KindSnapshot): Generator<{ readonly shape: Shape; readonly rows: readonly Row[] }> {
  let shape: Shape | undefined;
  let rows: Row[] = [];
  for (const group of groups) {
    if (shape !== undefined && rows.length > 0 && !isSameShape(shape, group)) {
      yield { shape, rows };
      rows = [];
    }
    shape = { kind: group.kind, columns: group.columns };
    for (const row of group.rows()) {
      rows.push(row);
      if (rows.length < pieceRowCount) continue;
      yield { shape, rows };
      rows = [];
    }
  }
  if (shape !== undefined && rows.length > 0) yield { shape, rows };
}

/** Writes one checkpoint of the current rows. Changes during the write come after the checkpoint. */
export async function writeCheckpoint(
  options: CheckpointOptions,
  { cluster, resource }: { readonly cluster: string; readonly resource: string },
  signal: AbortSignal,
): Promise<void> {
  const { fleetLog, fleetRows, sizes, codec, hasher } = options;
  const snapshot = fleetRows.snapshot(cluster, resource);
  if (snapshot === undefined) return;
  const covered = sizes.get(cluster, resource);
  const checkpoint = await fleetLog.beginCheckpoint(cluster, resource, snapshot.position);
  let byteCount = 0;
  const add = async (shape: Shape, rows: readonly Row[]): Promise<void> => {
    throwIfAborted(signal);
    const content = { resource: snapshot.resource, ...shape, rows, deletes: [] };
    const piece = await codec.compress(encodeRowBatch(content, hasher));
    if (piece.length > checkpointPieceBytes && rows.length > 1) {
      const half = Math.ceil(rows.length / 2);
      await add(shape, rows.slice(0, half));
      await add(shape, rows.slice(half));
    } else {
      await fleetLog.addCheckpointPiece(checkpoint, piece);
      byteCount += piece.length;
    }
  };
  for (const { shape, rows } of toPieces(snapshot)) await add(shape, rows);
  await fleetLog.completeCheckpoint(checkpoint);
  sizes.checkpointed(cluster, resource, byteCount, covered);
}

/**
 * Writes due checkpoints, one at a time, until the signal aborts. Then throws the signal's reason. A failed checkpoint
 * is logged and retried later.
 */
export async function runCheckpoints(options: CheckpointOptions, signal: AbortSignal): Promise<void> {
  const { clock, log, sizes } = options;
  for (;;) {
    await clock.sleep(intervalMs, signal);
    for (const size of sizes.list().filter(isCheckpointDue)) {
      try {
        await writeCheckpoint(options, size, signal);
      } catch (reason) {
        if (isCancellation(signal, reason)) throw reason;
        log.warn("checkpoint failed", { cluster: size.cluster, resource: size.resource }, reason);
      }
    }
  }
}
