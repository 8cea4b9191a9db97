// SPDX-License-Identifier: Apache-2.0
// The decisions and refusals that both engines of the fleet log share.
import { FlotillaError } from "../../base/error.ts";
import {
  type AppendOutcome,
  checkpointPieceBytes,
  type Flush,
  type LogProgress,
  type RaiseOutcome,
} from "./fleet-log.ts";

/**
 * Decides about a flush from its session's durable progress (FL2, FL4). `append`: it is the next one and must be
 * written.
 */
export function decideAppend(
  progress: LogProgress | undefined,
  flush: Flush,
): Exclude<AppendOutcome, { kind: "appended" }> | { readonly kind: "append" } {
  if (progress !== undefined && flush.epoch < progress.epoch) return { kind: "fenced", epoch: progress.epoch };
  const durable = progress?.incarnation === flush.incarnation ? progress.seq : 0;
  if (flush.seq <= durable) return { kind: "duplicate", seq: durable };
  return flush.seq === durable + 1 ? { kind: "append" } : { kind: "gap", expected: durable + 1 };
}

/**
 * Decides whether a session gets `epoch`, and its resulting progress. Durable progress stays, the epoch only grows, and
 * no epoch is assigned twice (FL2).
 */
export function decideRaise(progress: LogProgress | undefined, epoch: number): RaiseOutcome {
  if (progress === undefined) return { kind: "raised", durable: { epoch, incarnation: "", seq: 0, receivedAtMs: 0 } };
  if (progress.epoch >= epoch) return { kind: "fenced", epoch: progress.epoch };
  return { kind: "raised", durable: { ...progress, epoch } };
}

/** GONE for a time, or for a place in a load, that retention has removed (FL9). */
export function goneBefore(earliestMs: number): FlotillaError {
  const sentence = `history before ${new Date(earliestMs).toISOString()} is not kept; ask for a later time`;
  return new FlotillaError("GONE", sentence, { ids: { earliestMs } });
}

/**
 * Throws GONE for a position that retention has removed, or that is beyond the log's head: it belongs to another log,
 * or to this one before a restore (FL14).
 */
export function assertFollowable(after: number, horizon: number, headPosition: number): void {
  if (after >= horizon && after <= headPosition) return;
  const why = after > headPosition ? `ends at ${headPosition}` : `keeps what comes after ${horizon}`;
  const sentence = `position ${after} of the fleet log cannot be followed: the log ${why}; load again`;
  throw new FlotillaError("GONE", sentence, { ids: { position: after } });
}

export function noCheckpoint(id: number): FlotillaError {
  return new FlotillaError("NOT_FOUND", `checkpoint ${id} is not being written`);
}

export function assertPieceSize(bytes: Uint8Array): void {
  if (bytes.length <= checkpointPieceBytes) return;
  throw new FlotillaError(
    "TOO_LARGE",
    `a checkpoint piece has ${bytes.length} bytes; the limit is ${checkpointPieceBytes}`,
  );
}

/** A checkpoint must not cover positions that are not appended yet: later segments would count as covered. */
export function assertAppended(position: number, newestPosition: number): void {
  if (position <= newestPosition) return;
  throw new FlotillaError(
    "INVALID_ARGUMENT",
    `position ${position} is beyond the newest of the log, ${newestPosition}`,
  );
}
