// SPDX-License-Identifier: Apache-2.0
// Schedules of CronJobs: five fields (minute, hour, day of month, month, day of week), a nickname or an interval. Error
// messages are those of the parser that Kubernetes uses.
import { assert } from "../../../base/assert.ts";
import { parseGoDuration } from "./go-duration.ts";
import { timeZoneError } from "./time-zone.ts";

interface FieldBounds {
  readonly min: number;
  readonly max: number;
  /** Lowercase names of the numbers from `min` on. */
  readonly names: readonly string[];
}

const monthNames = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const dayNames = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

const fieldBounds: readonly FieldBounds[] = [
  { min: 0, max: 59, names: [] },
  { min: 0, max: 23, names: [] },
  { min: 1, max: 31, names: [] },
  { min: 1, max: 12, names: monthNames },
  { min: 0, max: 6, names: dayNames },
];

const nicknames: ReadonlyMap<string, string> = new Map([
  ["@yearly", "0 0 1 1 *"],
  ["@annually", "0 0 1 1 *"],
  ["@monthly", "0 0 1 * *"],
  ["@weekly", "0 0 * * 0"],
  ["@daily", "0 0 * * *"],
  ["@midnight", "0 0 * * *"],
  ["@hourly", "0 * * * *"],
]);
const everyPrefix = "@every ";

/** Intervals are rounded down to whole seconds; the minimum is one second. */
const secondMs = 1_000;

/** A parsed schedule. Its time zone is validated but not kept: schedules run in UTC here. */
export type CronSchedule =
  | { readonly kind: "every"; readonly everyMs: number }
  | {
      readonly kind: "fields";
      readonly minutes: ReadonlySet<number>;
      readonly hours: ReadonlySet<number>;
      readonly days: ReadonlySet<number>;
      readonly months: ReadonlySet<number>;
      /** Sunday is 0. */
      readonly weekDays: ReadonlySet<number>;
      /** The field begins with a star. If either day field does, a day must match both; otherwise, either one. */
      readonly isEveryDay: boolean;
      readonly isEveryWeekDay: boolean;
    };

/** Parses a schedule. Returns an error message for an invalid one. */
export function parseSchedule(schedule: string): CronSchedule | string {
  let text = schedule;
  if (text.startsWith("TZ=") || text.startsWith("CRON_TZ=")) {
    const end = text.indexOf(" ");
    if (end === -1) return "invalid schedule format: runtime error: slice bounds out of range [:-1]";
    const zone = text.slice(text.indexOf("=") + 1, end);
    const error = timeZoneError(zone);
    if (error !== undefined) return `provided bad location ${zone}: ${error}`;
    text = text.slice(end).trim();
  }
  if (!text.startsWith("@")) return parseFields(text);
  const fields = nicknames.get(text);
  if (fields !== undefined) return parseFields(fields);
  return text.startsWith(everyPrefix) ? parseEvery(text) : `unrecognized descriptor: ${text}`;
}

function parseEvery(text: string): CronSchedule | string {
  const durationMs = parseGoDuration(text.slice(everyPrefix.length));
  if (typeof durationMs === "string") return `failed to parse duration ${text}: ${durationMs}`;
  return { kind: "every", everyMs: Math.max(secondMs, Math.floor(durationMs / secondMs) * secondMs) };
}

function parseFields(text: string): CronSchedule | string {
  const fields = text.split(/\s+/u).filter((field) => field !== "");
  if (fields.length !== fieldBounds.length)
    return `expected exactly ${fieldBounds.length} fields, found ${fields.length}: [${fields.join(" ")}]`;
  const values: ReadonlySet<number>[] = [];
  for (const [index, bounds] of fieldBounds.entries()) {
    const parsed = parseField(fields[index] ?? "", bounds);
    if (typeof parsed === "string") return parsed;
    values.push(parsed);
  }
  const [minutes, hours, days, months, weekDays] = values;
  assert(minutes && hours && days && months && weekDays, "a schedule has five fields");
  const isStar = (field: string | undefined): boolean => /^[*?]/.test(field ?? "");
  const [isEveryDay, isEveryWeekDay] = [isStar(fields[2]), isStar(fields[4])];
  return { kind: "fields", minutes, hours, days, months, weekDays, isEveryDay, isEveryWeekDay };
}

/** Parses a field to the numbers that it matches. Returns an error message for an invalid one. */
function parseField(field: string, bounds: FieldBounds): ReadonlySet<number> | string {
  const values = new Set<number>();
  for (const range of field.split(",")) {
    const error = range === "" ? undefined : addRange(range, bounds, values);
    if (error !== undefined) return error;
  }
  return values;
}

/** Adds the numbers of a range to `values`. Returns an error message for an invalid range. */
function addRange(range: string, bounds: FieldBounds, values: Set<number>): string | undefined {
  const [span = "", stepText, ...moreSteps] = range.split("/");
  const ends = parseEnds(span, range, bounds);
  if (typeof ends === "string") return ends;
  if (moreSteps.length > 0) return `too many slashes: ${range}`;
  const step = stepText === undefined ? 1 : parseNumber(stepText);
  if (typeof step === "string") return step;
  const start = ends.start;
  const end = stepText !== undefined && ends.isSingle ? bounds.max : ends.end;
  if (start < bounds.min) return `beginning of range (${start}) below minimum (${bounds.min}): ${range}`;
  if (end > bounds.max) return `end of range (${end}) above maximum (${bounds.max}): ${range}`;
  if (start > end) return `beginning of range (${start}) beyond end of range (${end}): ${range}`;
  if (step === 0) return `step of range should be a positive number: ${range}`;
  for (let value = start; value <= end; value += step) values.add(value);
  return undefined;
}

interface Ends {
  readonly start: number;
  readonly end: number;
  /** One number or a star. With a step, the range extends to the maximum. */
  readonly isSingle: boolean;
}

function parseEnds(span: string, range: string, bounds: FieldBounds): Ends | string {
  const [low = "", high, ...more] = span.split("-");
  const isSingle = high === undefined;
  if (low === "*" || low === "?") return { start: bounds.min, end: bounds.max, isSingle };
  const start = parseNumberOrName(low, bounds);
  if (typeof start === "string") return start;
  if (more.length > 0) return `too many hyphens: ${range}`;
  if (high === undefined) return { start, end: start, isSingle };
  const end = parseNumberOrName(high, bounds);
  return typeof end === "string" ? end : { start, end, isSingle };
}

function parseNumberOrName(text: string, { min, names }: FieldBounds): number | string {
  const index = names.indexOf(text.toLowerCase());
  return index === -1 ? parseNumber(text) : min + index;
}

function parseNumber(text: string): number | string {
  const failed = (why: string): string =>
    `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: ${why}`;
  if (!/^[+-]?\d+$/.test(text)) return failed("invalid syntax");
  const number = Number(text);
  if (number >= 2 ** 63 || number < -(2 ** 63)) return failed("value out of range");
  return number < 0 ? `negative number (${number}) not allowed: ${text}` : number;
}
