// SPDX-License-Identifier: Apache-2.0
// Writes checkpoints in the background. They shorten a start and let retention delete old segments (FL6, FL9).
import { isCancellation, throwIfAborted } from "../../base/abort.ts";
import type { Logger } from "../../base/log.ts";
import type { Clock } from "../../base/time/clock.ts";
import type { FleetLog } from "../../store/fleet-log/fleet-log.ts";
import type { FleetRows } from "../rows/fleet-rows.ts";
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
  readonly sizes: LogSizes;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Whether a load of this kind reads enough to justify a checkpoint. */
export function isCheckpointDue({ segmentCount, segmentBytes, checkpointBytes }: LogSize): boolean {
  return segmentCount >= maxSegmentCount || segmentBytes >= Math.max(minSegmentBytes, checkpointBytes);
}

/** Writes one checkpoint of the current rows. Changes during the write come after the checkpoint. */
export async function writeCheckpoint(
  options: CheckpointOptions,
  { cluster, resource }: { readonly cluster: string; readonly resource: string },
  signal: AbortSignal,
): Promise<void> {
  const { fleetLog, fleetRows, sizes } = options;
  const reading = await fleetRows.openCheckpoint(cluster, resource);
  if (reading === undefined) return;
  try {
    const covered = sizes.get(cluster, resource);
    const checkpoint = await fleetLog.beginCheckpoint(cluster, resource, reading.position);
    let byteCount = 0;
    for (;;) {
      throwIfAborted(signal);
      const piece = await fleetRows.readCheckpoint(reading.id);
      if (piece === undefined) break;
      await fleetLog.addCheckpointPiece(checkpoint, piece);
      byteCount += piece.length;
    }
    await fleetLog.completeCheckpoint(checkpoint);
    sizes.checkpointed(cluster, resource, byteCount, covered);
  } finally {
    await fleetRows.closeCheckpoint(reading.id);
  }
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
