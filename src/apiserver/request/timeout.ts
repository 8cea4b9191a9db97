// SPDX-License-Identifier: Apache-2.0
import { quoteGo } from "../json/quote-go.ts";
import { badRequest } from "../status/api-error.ts";

/** One number with its unit in a Go duration. */
const part = /([0-9]+(?:\.[0-9]*)?|\.[0-9]+)([^0-9.]*)/y;
const units: ReadonlySet<string> = new Set(["ns", "us", "\u00b5s", "\u03bcs", "ms", "s", "m", "h"]);

/** Refuses an invalid `timeout` parameter. A valid one has no effect: responses do not take that long. */
export function checkTimeout(query: URLSearchParams): void {
  const text = query.get("timeout") ?? "";
  if (text === "") return;
  const problem = durationProblem(text);
  if (problem !== undefined) throw badRequest(`invalid timeout specified in the request URL - ${problem}`);
}

/** Go's message for an invalid duration; undefined for a valid one. */
function durationProblem(text: string): string | undefined {
  const digits = text.replace(/^[+-]/, "");
  if (digits === "0") return undefined;
  part.lastIndex = 0;
  let end = 0;
  for (let match = part.exec(digits); match !== null; match = part.exec(digits)) {
    const [, , unit = ""] = match;
    if (unit === "") return `time: missing unit in duration ${quoteGo(text)}`;
    if (!units.has(unit)) return `time: unknown unit ${quoteGo(unit)} in duration ${quoteGo(text)}`;
    end = part.lastIndex;
  }
  return end === 0 || end < digits.length ? `time: invalid duration ${quoteGo(text)}` : undefined;
}
