// SPDX-License-Identifier: Apache-2.0
import { unreachable } from "../../base/assert.ts";
import { hasCode } from "../../base/error.ts";
import { parseByteSize, parseDurationMs } from "../../base/units.ts";
import type { OptionSpec, OptionValue } from "./option.ts";

/** A value, or the problem as words that follow it. */
export type ParsedValue =
  | { readonly kind: "value"; readonly value: OptionValue }
  | { readonly kind: "problem"; readonly problem: string };

/** An option whose value is its text, unlike a secret's. */
export type PlainOption = Exclude<OptionSpec, { readonly type: "secret" }>;

/** Longer text is refused unread; the longest valid value is a path of 4,096 bytes. */
const maxValueLength = 8_192;

/**
 * Parses the value of an option. `texts` has one element; for a list any number, each of which may contain several
 * values separated by commas.
 */
export function parseValue(spec: PlainOption, texts: readonly string[]): ParsedValue {
  if (texts.some((text) => text.length > maxValueLength)) {
    return problem(`is longer than ${maxValueLength} characters`);
  }
  if (spec.type === "list") return checked(splitList(texts), spec.check);
  const [text = "", second] = texts;
  if (second !== undefined) return problem("must be one value, not several");
  switch (spec.type) {
    case "string":
      return checked(text, spec.check);
    case "path":
      return text === "" || text.includes("\0") ? problem("is not a path") : checked(text, spec.check);
    case "integer":
      return parseInteger(spec, text);
    case "boolean":
      return text === "true" || text === "false"
        ? checked(text === "true", spec.check)
        : problem("is not true or false");
    case "duration":
      return checked(readDuration(text), spec.check) ?? problem("is not a duration such as 500ms, 30s, 5m, 24h or 7d");
    case "bytes":
      return checked(readQuantity(parseByteSize, text), spec.check) ?? problem("is not a size such as 512KiB or 4MB");
    case "choice":
      return spec.choices.includes(text)
        ? checked(text, spec.check)
        : problem(`is not one of ${spec.choices.join(", ")}`);
    default:
      return unreachable(spec, "option type");
  }
}

function splitList(texts: readonly string[]): readonly string[] {
  const parts = texts.flatMap((text) => text.split(",")).map((part) => part.trim());
  return Object.freeze([...new Set(parts.filter((part) => part !== ""))]);
}

/** About 100 years: a longer duration is a typing mistake, and timers and dates are exact below it. */
const maxDurationMs = 36_525 * 86_400_000;

/** A plain `0` is a duration too: it disables a feature. */
function readDuration(text: string): number | undefined {
  const durationMs = text === "0" ? 0 : readQuantity(parseDurationMs, text);
  return durationMs === undefined || durationMs > maxDurationMs ? undefined : durationMs;
}

function readQuantity(parse: (text: string) => number, text: string): number | undefined {
  try {
    return parse(text);
  } catch (reason) {
    if (hasCode(reason, "INVALID_ARGUMENT")) return undefined;
    throw reason;
  }
}

function parseInteger(spec: Extract<PlainOption, { readonly type: "integer" }>, text: string): ParsedValue {
  if (!/^-?\d{1,15}$/.test(text)) return problem("is not a whole number");
  const value = Number(text);
  if (value < spec.min || value > spec.max) return problem(`is not between ${spec.min} and ${spec.max}`);
  return checked(value, spec.check);
}

function problem(text: string): ParsedValue {
  return { kind: "problem", problem: text };
}

function checked<Value extends OptionValue>(value: Value, check?: (value: Value) => string | undefined): ParsedValue;
function checked<Value extends OptionValue>(
  value: Value | undefined,
  check?: (value: Value) => string | undefined,
): ParsedValue | undefined;
function checked<Value extends OptionValue>(
  value: Value | undefined,
  check?: (value: Value) => string | undefined,
): ParsedValue | undefined {
  if (value === undefined) return undefined;
  const found = check?.(value);
  return found === undefined ? { kind: "value", value } : problem(found);
}
