// SPDX-License-Identifier: Apache-2.0

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

/**
 * A duration as kubectl prints ages, with a second unit only while the first is small: `90s`, `5m30s`, `47h`, `3d4h`.
 * `<invalid>` for a negative one, except for the two seconds by which clocks may differ.
 */
export function humanDuration(durationMs: number): string {
  const seconds = Math.trunc(durationMs / secondMs);
  if (seconds < -1) return "<invalid>";
  if (seconds < 120) return `${Math.max(0, seconds)}s`;
  const minutes = Math.trunc(durationMs / minuteMs);
  if (minutes < 10) return joinUnits(`${minutes}m`, seconds % 60, "s");
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.trunc(durationMs / hourMs);
  if (hours < 8) return joinUnits(`${hours}h`, minutes % 60, "m");
  if (hours < 48) return `${hours}h`;
  const days = Math.trunc(hours / 24);
  if (days < 8) return joinUnits(`${days}d`, hours % 24, "h");
  if (days < 2 * 365) return `${days}d`;
  const years = Math.trunc(days / 365);
  return years < 8 ? joinUnits(`${years}y`, days % 365, "d") : `${years}y`;
}

/** The time from `atMs` to `nowMs`; `<unknown>` for 0, a time that was not reported (CO21). */
export function humanAge(atMs: number, nowMs: number): string {
  return atMs === 0 ? "<unknown>" : humanDuration(nowMs - atMs);
}

function joinUnits(first: string, rest: number, unit: string): string {
  return rest === 0 ? first : `${first}${rest}${unit}`;
}
