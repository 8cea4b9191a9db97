// SPDX-License-Identifier: Apache-2.0

/** The bounds of an adaptive interval (N-50): `minMs <= baseMs <= maxMs`. */
export interface SyncBounds {
  readonly baseMs: number;
  readonly minMs: number;
  readonly maxMs: number;
}

/** The current interval, and the number of consecutive scans without changes at the base interval. */
export interface SyncPace {
  readonly intervalMs: number;
  readonly quietCount: number;
}

/**
 * Scans without changes at the base interval before it grows: two minutes with the default of 30 s, so that a short
 * pause does not slow the polling.
 */
const quietTurnsAtBase = 4;

/**
 * The slow growth above the base: a change after long quiet is noticed at most a quarter later than with the previous
 * interval.
 */
const growth = 1.25;

/** The initial interval. */
export function firstPace({ baseMs }: SyncBounds): SyncPace {
  return { intervalMs: baseMs, quietCount: 0 };
}

/**
 * The interval after one scan. It halves while changes arrive. Without changes it doubles back to the base, stays there
 * for some scans, then grows slowly. It is never below `minMs` or above `maxMs` (N-51).
 */
export function nextPace({ intervalMs, quietCount }: SyncPace, hasChanged: boolean, bounds: SyncBounds): SyncPace {
  const { baseMs, minMs, maxMs } = bounds;
  if (hasChanged) return { intervalMs: Math.max(minMs, Math.min(intervalMs, baseMs) / 2), quietCount: 0 };
  if (intervalMs < baseMs) return { intervalMs: Math.min(baseMs, intervalMs * 2), quietCount: 0 };
  if (quietCount + 1 < quietTurnsAtBase) return { intervalMs, quietCount: quietCount + 1 };
  return { intervalMs: Math.min(maxMs, intervalMs * growth), quietCount };
}

/** Adds or subtracts up to a tenth, so that reflectors that started together do not repeat together. */
export function jitter(ms: number, chance: number): number {
  return ms * (0.9 + 0.2 * chance);
}
