// SPDX-License-Identifier: Apache-2.0
import { type CronSchedule, parseSchedule } from "../../apiserver/builtin/batch/cron-schedule.ts";

const minuteMs = 60_000;

/** The longest gap between two times of a schedule: the 29th of February around a century without leap day. */
const maxSearchMs = 8 * 366 * 24 * 60 * minuteMs;

/** The first time after `afterMs`, in UTC, that matches the schedule; undefined if none does or it does not parse. */
export function nextCronTimeMs(schedule: string, afterMs: number): number | undefined {
  const parsed = parseSchedule(schedule.trim());
  if (typeof parsed === "string") return undefined;
  if (parsed.kind === "every") return afterMs + parsed.everyMs;
  const untilMs = afterMs + maxSearchMs;
  let atMs = (Math.floor(afterMs / minuteMs) + 1) * minuteMs;
  while (atMs <= untilMs) {
    const at = new Date(atMs);
    if (!parsed.months.has(at.getUTCMonth() + 1)) atMs = Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 1);
    else if (!isDay(parsed, at)) atMs = Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate() + 1);
    else if (!parsed.hours.has(at.getUTCHours())) atMs = (Math.floor(atMs / (60 * minuteMs)) + 1) * 60 * minuteMs;
    else if (!parsed.minutes.has(at.getUTCMinutes())) atMs += minuteMs;
    else return atMs;
  }
  return undefined;
}

function isDay(fields: CronSchedule & { readonly kind: "fields" }, at: Date): boolean {
  const isOfMonth = fields.days.has(at.getUTCDate());
  const isOfWeek = fields.weekDays.has(at.getUTCDay());
  return fields.isEveryDay || fields.isEveryWeekDay ? isOfMonth && isOfWeek : isOfMonth || isOfWeek;
}
