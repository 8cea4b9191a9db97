// SPDX-License-Identifier: Apache-2.0
// How far apart flushes are (SE18): close while little happens, further while much does, so that a flush holds more.

/** The bounds of the interval. */
export interface FlushPaceOptions {
  readonly minFlushIntervalMs: number;
  readonly maxFlushIntervalMs: number;
}

/** The pace of one agent. It outlives sessions. */
export interface FlushPace {
  readonly intervalMs: number;
  /** When the newest flush was planned. */
  readonly flushedAtMs: number;
  /** Since when the rate has not been over the limit. */
  readonly quietSinceMs: number;
  /** Changes there had been when the newest flush was planned. */
  readonly changeCount: number;
}

/** Changes a second above which the interval grows (SE18). */
export const busyChangesPerSecond = 50;

/** How long the rate stays low before the interval is the shortest again (SE18). */
export const quietMs = 60_000;

/** What the interval is multiplied with at each busy flush: from 100 ms to 5 s in six. */
const growth = 2;

/** The pace before the first flush, which may come at once. */
export function firstPace(options: FlushPaceOptions, nowMs: number): FlushPace {
  const { minFlushIntervalMs: intervalMs } = options;
  return { intervalMs, flushedAtMs: nowMs - intervalMs, quietSinceMs: nowMs, changeCount: 0 };
}

/** When the next flush may come. What is left over from a full flush is no change of its own and waits for the shortest interval only. */
export function nextFlushMs(pace: FlushPace, hasLeftOver: boolean, options: FlushPaceOptions): number {
  return pace.flushedAtMs + (hasLeftOver ? options.minFlushIntervalMs : pace.intervalMs);
}

/** The pace after a flush was planned, when `changeCount` changes had come in all: each counts, however few keys they leave. */
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
