// SPDX-License-Identifier: Apache-2.0
// When a CronJob runs: five fields of minutes, hours, days and months, a nickname, or an interval. The sentences are those of the parser that Kubernetes uses.
import { goDurationError } from "./go-duration.ts";
import { timeZoneError } from "./time-zone.ts";

interface FieldBounds {
  readonly min: number;
  readonly max: number;
  /** Names for numbers, in lower case, from `min` on. */
  readonly names: readonly string[];
}

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const weekDays = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

const fieldBounds: readonly FieldBounds[] = [
  { min: 0, max: 59, names: [] },
  { min: 0, max: 23, names: [] },
  { min: 1, max: 31, names: [] },
  { min: 1, max: 12, names: months },
  { min: 0, max: 6, names: weekDays },
];

const nicknames = new Set(["@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"]);
const everyPrefix = "@every ";

/** What is wrong with the schedule; undefined when it is fine. */
export function scheduleError(schedule: string): string | undefined {
  let text = schedule;
  if (text.startsWith("TZ=") || text.startsWith("CRON_TZ=")) {
    const end = text.indexOf(" ");
    if (end === -1) return "invalid schedule format: runtime error: slice bounds out of range [:-1]";
    const zone = text.slice(text.indexOf("=") + 1, end);
    const error = timeZoneError(zone);
    if (error !== undefined) return `provided bad location ${zone}: ${error}`;
    text = text.slice(end).trim();
  }
  return text.startsWith("@") ? nicknameError(text) : fieldsError(text);
}

function nicknameError(text: string): string | undefined {
  if (nicknames.has(text)) return undefined;
  if (!text.startsWith(everyPrefix)) return `unrecognized descriptor: ${text}`;
  const error = goDurationError(text.slice(everyPrefix.length));
  return error === undefined ? undefined : `failed to parse duration ${text}: ${error}`;
}

function fieldsError(text: string): string | undefined {
  const fields = text.split(/\s+/u).filter((field) => field !== "");
  if (fields.length !== fieldBounds.length)
    return `expected exactly ${fieldBounds.length} fields, found ${fields.length}: [${fields.join(" ")}]`;
  for (const [index, bounds] of fieldBounds.entries()) {
    for (const range of (fields[index] ?? "").split(",")) {
      const error = range === "" ? undefined : rangeError(range, bounds);
      if (error !== undefined) return error;
    }
  }
  return undefined;
}

function rangeError(range: string, bounds: FieldBounds): string | undefined {
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
  return step === 0 ? `step of range should be a positive number: ${range}` : undefined;
}

interface Ends {
  readonly start: number;
  readonly end: number;
  /** One number or a star: with a step, the range goes on to the maximum. */
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
