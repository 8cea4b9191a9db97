// SPDX-License-Identifier: Apache-2.0
// Values in Go's default format.
import type { Json, JsonObject } from "../json/json.ts";
import { canonicalJson } from "../json/stringify-json.ts";

/** Strings unchanged, numbers in Go's shortest form, lists and objects as JSON with sorted keys. */
export function toGoText(value: Json): string {
  if (value === null) return "<no value>";
  if (typeof value === "number") return formatNumber(value);
  return typeof value === "object" ? toGoJson(value) : String(value);
}

/** JSON as Go encodes it: sorted keys, and HTML characters escaped. */
function toGoJson(value: readonly Json[] | JsonObject): string {
  return canonicalJson(value).replaceAll(
    /[<>&\u2028\u2029]/g,
    (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Go's white space. */
const space = /[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;

/** Trims white space in one pass: messages of Events may be long. */
export function trimSpace(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && space.test(text.charAt(start))) start += 1;
  while (end > start && space.test(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

/** Fractions below 1e-4 or from 1e6 have an exponent of at least two digits. */
function formatNumber(value: number): string {
  const exponent = value === 0 ? 0 : Math.floor(Math.log10(Math.abs(value)));
  if (Number.isSafeInteger(value) || (exponent >= -4 && exponent < 6)) return String(value);
  return value.toExponential().replace(/e([+-])(\d)$/, "e$10$2");
}
