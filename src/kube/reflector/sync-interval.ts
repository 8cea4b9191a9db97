// SPDX-License-Identifier: Apache-2.0

/** The bounds of an interval that adapts (N-50): `minMs <= baseMs <= maxMs`. */
export interface SyncBounds {
  readonly baseMs: number;
  readonly minMs: number;
  readonly maxMs: number;
}

/** The interval in force and how often in a row nothing had changed. */
export interface SyncPace {
  readonly intervalMs: number;
  readonly quietCount: number;
}

/** Quiet turns at the base interval before it grows beyond: with the default of 30 s two minutes, so that a pause is not taken for the end. */
const quietTurnsAtBase = 4;

/** Beyond the base it grows gently; a change after long quiet is noticed at most a quarter later than the turn before. */
const growth = 1.25;

/** The pace to begin with. */
export function firstPace({ baseMs }: SyncBounds): SyncPace {
  return { intervalMs: baseMs, quietCount: 0 };
}

/**
 * The pace after one turn: half the interval while changes come; when they stop it doubles back to the base, stays there for some turns, then grows slowly. Never
 * below `minMs`, never above `maxMs` (N-51).
 */
export function nextPace({ intervalMs, quietCount }: SyncPace, hasChanged: boolean, bounds: SyncBounds): SyncPace {
  const { baseMs, minMs, maxMs } = bounds;
  if (hasChanged) return { intervalMs: Math.max(minMs, Math.min(intervalMs, baseMs) / 2), quietCount: 0 };
  if (intervalMs < baseMs) return { intervalMs: Math.min(baseMs, intervalMs * 2), quietCount: 0 };
  if (quietCount + 1 < quietTurnsAtBase) return { intervalMs, quietCount: quietCount + 1 };
  return { intervalMs: Math.min(maxMs, intervalMs * growth), quietCount };
}
