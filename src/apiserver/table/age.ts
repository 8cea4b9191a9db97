// SPDX-License-Identifier: Apache-2.0
// Ages in tables, with the two largest relevant units.

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

/** RFC 3339, as the API writes and accepts it. */
const timeText = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:[.,]\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/**
 * The age of a time: `5m`, `2d3h`. `<unknown>` for an absent time, `<invalid>` for one that is malformed or in the
 * future.
 */
export function ageOf(time: string | undefined, nowMs: number): string {
  if (time === undefined || time === "" || time === "null") return "<unknown>";
  const timeMs = parseTimeMs(time);
  return timeMs === undefined ? "<invalid>" : humanDuration(nowMs - timeMs);
}

/** Parses a time of the API; undefined for any other text. */
export function parseTimeMs(time: string): number | undefined {
  const [, year, month, day, hour, minute, second] = timeText.exec(time)?.map(Number) ?? [];
  if (month === undefined || day === undefined || year === undefined) return undefined;
  const isReal =
    month >= 1 &&
    month <= 12 &&
    day >= 1 &&
    day <= daysIn(year, month) &&
    (hour ?? 0) < 24 &&
    (minute ?? 0) < 60 &&
    (second ?? 0) < 60;
  return isReal ? Date.parse(time.replace(",", ".")) : undefined;
}

/**
 * Formats a duration as Kubernetes does, without the smaller unit where it is irrelevant. Tolerates clocks that are one
 * second ahead.
 */
export function humanDuration(durationMs: number): string {
  const seconds = Math.trunc(durationMs / secondMs);
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.trunc(durationMs / minuteMs);
  if (minutes < 10) return withRest(minutes, "m", seconds % 60, "s");
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.trunc(durationMs / hourMs);
  if (hours < 8) return withRest(hours, "h", minutes % 60, "m");
  if (hours < 48) return `${hours}h`;
  const days = Math.trunc(hours / 24);
  if (days < 8) return withRest(days, "d", hours % 24, "h");
  if (days < 2 * 365) return `${days}d`;
  const years = Math.trunc(days / 365);
  return years < 8 ? withRest(years, "y", days % 365, "d") : `${years}y`;
}

function withRest(count: number, unit: string, rest: number, restUnit: string): string {
  return rest === 0 ? `${count}${unit}` : `${count}${unit}${rest}${restUnit}`;
}

function daysIn(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}
