// SPDX-License-Identifier: Apache-2.0

const units = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1_000],
] as const;

/**
 * A duration in the largest unit of which there are at least two, which limits the rounding error: `90s`, `47h`, `3d`.
 */
function formatDuration(durationMs: number, toWhole: (count: number) => number): string {
  const [unit, unitMs] = units.find(([, ms]) => durationMs >= 2 * ms) ?? ["s", 1_000];
  return `${toWhole(durationMs / unitMs)}${unit}`;
}

/**
 * `5m ago`, `in 30d`, or `now` within a second. Past times are rounded down; future times are rounded to the nearest
 * unit, so that 30 days minus a moment are still 30. Exact times are in `-o json`.
 */
export function formatRelative(atMs: number, nowMs: number): string {
  const distanceMs = atMs - nowMs;
  if (Math.abs(distanceMs) < 1_000) return "now";
  return distanceMs < 0
    ? `${formatDuration(-distanceMs, Math.floor)} ago`
    : `in ${formatDuration(distanceMs, Math.round)}`;
}

/** A duration, rounded down: `0s`, `90s`, `47h`. */
export function formatAge(durationMs: number): string {
  return formatDuration(Math.max(0, durationMs), Math.floor);
}
