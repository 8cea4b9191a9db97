// SPDX-License-Identifier: Apache-2.0
// The interval between flushes (SE18): short at a low rate of changes, longer at a high rate, so that each flush holds
// more.

/** The bounds of the interval. */
export interface FlushPaceOptions {
  readonly minFlushIntervalMs: number;
  readonly maxFlushIntervalMs: number;
}

/** The flush pace of one agent. It outlives sessions. */
export interface FlushPace {
  readonly intervalMs: number;
  /** When the newest flush was planned. */
  readonly flushedAtMs: number;
  /** Since when the rate has not exceeded the limit. */
  readonly quietSinceMs: number;
  /** Total number of changes when the newest flush was planned. */
  readonly changeCount: number;
}

/** Changes a second above which the interval grows (SE18). */
export const busyChangesPerSecond = 50;

/** How long the rate must stay low before the interval is the shortest again (SE18). */
export const quietMs = 60_000;

/** Factor of the interval at each busy flush: from 100 ms to 5 s in six. */
const growth = 2;

/** The pace before the first flush, which may be sent at once. */
export function firstPace(options: FlushPaceOptions, nowMs: number): FlushPace {
  const { minFlushIntervalMs: intervalMs } = options;
  return { intervalMs, flushedAtMs: nowMs - intervalMs, quietSinceMs: nowMs, changeCount: 0 };
}

/**
 * When the next flush may be sent. Urgent rows wait for the shortest interval only: changed grants, and what is left over
 * from a full flush.
 */
export function nextFlushMs(pace: FlushPace, isUrgent: boolean, options: FlushPaceOptions): number {
  return pace.flushedAtMs + (isUrgent ? options.minFlushIntervalMs : pace.intervalMs);
}

/**
 * The pace after a flush was planned. `changeCount` is the total number of changes; each counts, even several of one
 * key.
 */
export function paceAfterFlush(
  pace: FlushPace,
  changeCount: number,
  nowMs: number,
  options: FlushPaceOptions,
): FlushPace {
  const { minFlushIntervalMs, maxFlushIntervalMs } = options;
  const tookMs = Math.max(nowMs - pace.flushedAtMs, minFlushIntervalMs);
  const isBusy = (changeCount - pace.changeCount) * 1_000 > busyChangesPerSecond * tookMs;
  const isQuiet = !isBusy && nowMs - pace.quietSinceMs >= quietMs;
  const grownMs = isBusy ? Math.min(maxFlushIntervalMs, pace.intervalMs * growth) : pace.intervalMs;
  return {
    intervalMs: isQuiet ? minFlushIntervalMs : grownMs,
    flushedAtMs: nowMs,
    quietSinceMs: isBusy ? nowMs : pace.quietSinceMs,
    changeCount,
  };
}
