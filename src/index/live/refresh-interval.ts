// SPDX-License-Identifier: Apache-2.0

/** The least time between two refreshes of a live view: no page can be read faster. */
export const minRefreshMs = 200;

/** The part of the thread's time that all live views together may use. */
export const threadShare = 0.5;

/**
 * The time from one refresh of a view to the next, by what a refresh costs and by the sum of the square roots of the
 * costs of all views. With these intervals all views together use at most half of the thread, and of all intervals that
 * do so these make views the least outdated on average: an expensive view waits longer than a cheap one, but less than
 * its cost would have it.
 */
export function refreshIntervalMs(costMs: number, rootSum: number): number {
  return Math.max(minRefreshMs, (Math.sqrt(costMs) * rootSum) / threadShare);
}

/**
 * What the next refresh is expected to cost, from the last ones. It falls faster than it rises: a refresh after a shorter
 * interval has fewer changes and costs less, so views that have caught up are soon refreshed as often as they can be.
 */
export function expectedCostMs(beforeMs: number, lastMs: number): number {
  const weight = lastMs < beforeMs ? 0.75 : 0.25;
  return beforeMs * (1 - weight) + lastMs * weight;
}
