// SPDX-License-Identifier: Apache-2.0

/** Formats a time as the API does: whole seconds, UTC. */
export function formatTime(wallMs: number): string {
  return `${new Date(wallMs).toISOString().slice(0, 19)}Z`;
}

/** The message of Go's time package for an invalid time. */
export class GoTimeError extends Error {
  override readonly name = "GoTimeError";
}

/** Go's zero time, which Kubernetes prints as null. */
const zeroTimeMs = Date.parse("0001-01-01T00:00:00Z");

/**
 * An RFC 3339 time in UTC with whole seconds; undefined for Go's zero time. Fractions are truncated. Throws a
 * GoTimeError.
 */
export function canonicalTime(text: string): string | undefined {
  const { ms, fraction } = parseTime(text, "2006-01-02T15:04:05Z07:00");
  return ms === zeroTimeMs && /^0*$/.test(fraction) ? undefined : `${formatSeconds(ms)}Z`;
}

/** As `canonicalTime`, for times with exactly six decimals. */
export function canonicalMicroTime(text: string): string | undefined {
  const { ms, fraction } = parseTime(text, "2006-01-02T15:04:05.000000Z07:00");
  return ms === zeroTimeMs && fraction === "000000" ? undefined : `${formatSeconds(ms)}.${fraction}Z`;
}

type Layout = "2006-01-02T15:04:05Z07:00" | "2006-01-02T15:04:05.000000Z07:00";

/** Parses a text part by part, as Go does: its message names the part that does not fit. */
function parseTime(text: string, layout: Layout): { readonly ms: number; readonly fraction: string } {
  let rest = text;
  const misfit = (part: string): GoTimeError =>
    new GoTimeError(`parsing time ${quoteBytes(text)} as "${layout}": cannot parse ${quoteBytes(rest)} as "${part}"`);
  const outOfRange = (what: string): GoTimeError =>
    new GoTimeError(`parsing time ${quoteBytes(text)}: ${what} out of range`);
  const take = (pattern: RegExp, part: string): string => {
    const match = pattern.exec(rest)?.[0];
    if (match === undefined) throw misfit(part);
    rest = rest.slice(match.length);
    return match;
  };
  const takeNumber = (pattern: RegExp, part: string, range?: readonly [string, number, number]): number => {
    const number = Number(take(pattern, part));
    if (range !== undefined && (number < range[1] || number > range[2])) throw outOfRange(range[0]);
    return number;
  };
  const year = take(/^[0-9]{4}/, "2006");
  take(/^-/, "-");
  const month = takeNumber(/^[0-9]{2}/, "01", ["month", 1, 12]);
  take(/^-/, "-");
  const day = takeNumber(/^[0-9]{2}/, "02");
  take(/^T/, "T");
  const hour = takeNumber(/^[0-9]{1,2}/, "15", ["hour", 0, 23]);
  take(/^:/, ":");
  const minute = takeNumber(/^[0-9]{2}/, "04", ["minute", 0, 59]);
  take(/^:/, ":");
  const second = takeNumber(/^[0-9]{2}/, "05", ["second", 0, 59]);
  const fraction = layout.includes(".")
    ? take(/^[.,][0-9]{6}/, ".000000").slice(1)
    : (/^[.,][0-9]+/.exec(rest)?.[0] ?? ".").slice(1);
  if (!layout.includes(".") && fraction !== "") rest = rest.slice(fraction.length + 1);
  const zone = take(/^(?:Z|[+-][0-9]{2}:[0-9]{2})/, "Z07:00");
  const offset = zone === "Z" ? 0 : zoneMinutes(zone, outOfRange);
  if (rest !== "") throw new GoTimeError(`parsing time ${quoteBytes(text)}: extra text: ${quoteBytes(rest)}`);
  const date = `${year}-${two(month)}-${two(day)}`;
  const dayMs = Date.parse(`${date}T00:00:00Z`);
  // Date.parse turns the 30th of February into a day of March.
  if (Number.isNaN(dayMs) || new Date(dayMs).toISOString().slice(0, date.length) !== date) throw outOfRange("day");
  return { ms: dayMs + ((hour * 60 + minute - offset) * 60 + second) * 1_000, fraction };
}

/** As in Go, 24 hours and 60 minutes are accepted. */
function zoneMinutes(zone: string, outOfRange: (what: string) => GoTimeError): number {
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(4, 6));
  if (hours > 24) throw outOfRange("time zone offset hour");
  if (minutes > 60) throw outOfRange("time zone offset minute");
  return (zone.startsWith("-") ? -1 : 1) * (hours * 60 + minutes);
}

/** Date and time without zone. Years of five digits, which a zone can cause, have no sign in Go. */
function formatSeconds(ms: number): string {
  return new Date(ms).toISOString().slice(0, -".000Z".length).replace(/^\+0/, "").replace(/^-00/, "-");
}

function two(number: number): string {
  return String(number).padStart(2, "0");
}

/** Go's time package quotes bytes: non-printable ones and those beyond ASCII are hexadecimal. */
function quoteBytes(text: string): string {
  let quoted = "";
  for (const byte of new TextEncoder().encode(text)) {
    const char = String.fromCharCode(byte);
    if (byte >= 0x80 || byte < 0x20) quoted += `\\x${byte.toString(16).padStart(2, "0")}`;
    else quoted += char === '"' || char === "\\" ? `\\${char}` : char;
  }
  return `"${quoted}"`;
}
