// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "./error.ts";

/** Largest first, in the order they have in a duration. */
const durationUnits = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1_000],
  ["ms", 1],
] as const;

/** Largest first: powers of 1024 by their IEC names, powers of 1000 by their SI names. */
const byteUnits = [
  ["TiB", 2 ** 40],
  ["TB", 10 ** 12],
  ["GiB", 2 ** 30],
  ["GB", 10 ** 9],
  ["MiB", 2 ** 20],
  ["MB", 10 ** 6],
  ["KiB", 2 ** 10],
  ["KB", 10 ** 3],
  ["B", 1],
] as const;

const durationPattern = /^(?:(\d{1,16})d)?(?:(\d{1,16})h)?(?:(\d{1,16})m)?(?:(\d{1,16})s)?(?:(\d{1,16})ms)?$/;
const bytesPattern = /^(\d{1,16})([KMGT]?i?B)?$/;

/** Length of the longest valid duration: five parts of 16 digits and their units. Longer text is refused unparsed. */
const maxTextLength = 5 * 18;

/**
 * Parses `250ms`, `30s`, `1m30s`, `24h` or `7d` to milliseconds: whole numbers, largest unit first, each unit once.
 * Throws INVALID_ARGUMENT.
 */
export function parseDurationMs(text: string): number {
  const parts = text.length > 0 && text.length <= maxTextLength ? durationPattern.exec(text) : null;
  if (parts === null)
    throw refusal(text, "a duration", "whole numbers with units, such as 250ms, 30s, 1m30s, 24h or 7d");
  let totalMs = 0;
  for (const [index, [, unitMs]] of durationUnits.entries()) totalMs += Number(parts[index + 1] ?? 0) * unitMs;
  return checked(totalMs, text, "a duration");
}

/** Parses `4MB` (4,000,000), `512KiB` (524,288), `100B` or a plain number to bytes. Throws INVALID_ARGUMENT. */
export function parseByteSize(text: string): number {
  const parts = text.length <= maxTextLength ? bytesPattern.exec(text) : null;
  const unit = byteUnits.find(([name]) => name === (parts?.[2] ?? "B"));
  if (parts === null || unit === undefined) {
    throw refusal(text, "a size", "a whole number and a unit, such as 4MB, 512KiB, 1GiB or 100B");
  }
  return checked(Number(parts[1]) * unit[1], text, "a size");
}

function checked(total: number, text: string, what: string): number {
  if (!Number.isSafeInteger(total)) throw refusal(text, what, "a smaller number: this one is over 2^53");
  return total;
}

function refusal(text: string, what: string, expected: string): FlotillaError {
  const shown = text.length > 40 ? `${text.slice(0, 40)}…` : text;
  return new FlotillaError("INVALID_ARGUMENT", `${JSON.stringify(shown)} is not ${what}: write ${expected}`);
}
