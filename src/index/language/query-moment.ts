// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";
import { parseDurationMs } from "../../base/units.ts";
import { quote } from "../../model/text.ts";
import { refuseQuery } from "./query-error.ts";
import type { QueryValue } from "./query-syntax.ts";
import { literalOf } from "./text-pattern.ts";

const form = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2}))?$/;

/**
 * Parses a moment in RFC 3339 form, a day, or a time before now: `now-1h`. `what` names the text that it stands in.
 * Throws INVALID_ARGUMENT.
 */
export function parseMoment(value: QueryValue, nowMs: number, what = "query"): number {
  const text = literalOf(value.pattern);
  if (text === "now") return nowMs;
  if (text.startsWith("now-")) return nowMs - readDuration(text.slice(4), value.at, what);
  const atMs = form.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(atMs)) return atMs;
  const fault = `${quote(text)} is not a moment; write 2026-01-31T10:00:00Z, 2026-01-31 or now-1h`;
  return refuseQuery(value.at, fault, what);
}

/** True for a text that can only be meant as a moment. */
export function isMomentText(text: string): boolean {
  return text === "now" || text.startsWith("now-") || form.test(text);
}

/** Parses the duration of `age`. Throws INVALID_ARGUMENT. */
export function parseAge({ pattern, at }: QueryValue): number {
  return readDuration(literalOf(pattern), at);
}

function readDuration(text: string, at: number, what?: string): number {
  try {
    return parseDurationMs(text);
  } catch (reason) {
    if (!(reason instanceof FlotillaError)) throw reason;
    return refuseQuery(at, reason.message, what);
  }
}
