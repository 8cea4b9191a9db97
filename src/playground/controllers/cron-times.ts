// SPDX-License-Identifier: Apache-2.0
// The next time of a cron schedule. The API server has validated the text; a text that does not parse has no next time.

interface CronFields {
  readonly minutes: ReadonlySet<number>;
  readonly hours: ReadonlySet<number>;
  readonly days: ReadonlySet<number>;
  readonly months: ReadonlySet<number>;
  readonly weekDays: ReadonlySet<number>;
  /** As in cron: if neither field begins with a star, a day matches by either field; otherwise both must match. */
  readonly isEveryDay: boolean;
  readonly isEveryWeekDay: boolean;
}

const nicknames: Readonly<Record<string, string>> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
};
const monthNames = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const dayNames = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

const minuteMs = 60_000;

/** The longest gap between two times of a schedule: the 29th of February around a century without leap day. */
const maxSearchMs = 8 * 366 * 24 * 60 * minuteMs;

/** The first time after `afterMs`, in UTC, that matches the schedule; undefined if none does. */
export function nextCronTimeMs(schedule: string, afterMs: number): number | undefined {
  const text = schedule.replace(/^(?:CRON_)?TZ=\S+\s+/, "").trim();
  const everyMs = /^@every (\d+)(s|m|h)$/.exec(text);
  if (everyMs !== null) {
    const unitMs = { s: 1000, m: minuteMs, h: 60 * minuteMs }[everyMs[2] ?? "m"] ?? minuteMs;
    return afterMs + Math.max(1, Number(everyMs[1])) * unitMs;
  }
  const fields = parseFields(nicknames[text] ?? text);
  if (fields === undefined) return undefined;
  const untilMs = afterMs + maxSearchMs;
  let atMs = (Math.floor(afterMs / minuteMs) + 1) * minuteMs;
  while (atMs <= untilMs) {
    const at = new Date(atMs);
    if (!fields.months.has(at.getUTCMonth() + 1)) atMs = Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 1);
    else if (!isDay(fields, at)) atMs = Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate() + 1);
    else if (!fields.hours.has(at.getUTCHours())) atMs = (Math.floor(atMs / (60 * minuteMs)) + 1) * 60 * minuteMs;
    else if (!fields.minutes.has(at.getUTCMinutes())) atMs += minuteMs;
    else return atMs;
  }
  return undefined;
}

function isDay(fields: CronFields, at: Date): boolean {
  const isOfMonth = fields.days.has(at.getUTCDate());
  const isOfWeek = fields.weekDays.has(at.getUTCDay());
  return fields.isEveryDay || fields.isEveryWeekDay ? isOfMonth && isOfWeek : isOfMonth || isOfWeek;
}

function parseFields(text: string): CronFields | undefined {
  const [minute, hour, day, month, weekDay, ...more] = text.split(/\s+/);
  if (minute === undefined || hour === undefined || day === undefined || month === undefined || weekDay === undefined)
    return undefined;
  if (more.length > 0) return undefined;
  return {
    minutes: parseField(minute, 0, 59, []),
    hours: parseField(hour, 0, 23, []),
    days: parseField(day, 1, 31, []),
    months: parseField(month, 1, 12, monthNames),
    weekDays: parseField(weekDay, 0, 6, dayNames),
    isEveryDay: /^[*?]/.test(day),
    isEveryWeekDay: /^[*?]/.test(weekDay),
  };
}

function parseField(text: string, min: number, max: number, names: readonly string[]): ReadonlySet<number> {
  const toNumber = (part: string): number => {
    const index = names.indexOf(part.toLowerCase());
    return index === -1 ? Number(part) : min + index;
  };
  const values = new Set<number>();
  for (const range of text.split(",")) {
    const [span = "", stepText] = range.split("/");
    const [low = "", high] = span.split("-");
    const isStar = low === "*" || low === "?";
    const from = isStar ? min : toNumber(low);
    const to = isStar || (high === undefined && stepText !== undefined) ? max : toNumber(high ?? low);
    const step = Math.max(1, Number(stepText ?? 1));
    for (let value = from; value <= Math.min(to, max); value += step) values.add(value);
  }
  return values;
}
