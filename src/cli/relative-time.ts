// SPDX-License-Identifier: Apache-2.0

const units = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1_000],
] as const;

/** How long, in the largest unit of which there are two, so that nothing is off by half: `90s`, `47h`, `3d`. */
function formatDuration(durationMs: number): string {
  const [unit, unitMs] = units.find(([, ms]) => durationMs >= 2 * ms) ?? ["s", 1_000];
  return `${Math.floor(durationMs / unitMs)}${unit}`;
}

/** `5m ago`, `in 29d`, or `now` within a second. Exact times are for `-o json`. */
export function formatRelative(atMs: number, nowMs: number): string {
  const distanceMs = atMs - nowMs;
  if (Math.abs(distanceMs) < 1_000) return "now";
  return distanceMs < 0 ? `${formatDuration(-distanceMs)} ago` : `in ${formatDuration(distanceMs)}`;
}
