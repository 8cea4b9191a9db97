// SPDX-License-Identifier: Apache-2.0
// Values and their types as the real server's messages show them: it prints them as Go does.
import { compareUtf8 } from "../../model/text.ts";
import { getKey, isList, isObject, type Json } from "../json/json.ts";

/** A value as Go's `%v` prints it: `map[a:1 b:[x y]]`, keys sorted, text without quotes. */
export function formatGoValue(value: Json): string {
  if (value === null) return "<nil>";
  if (isList(value)) return `[${value.map(formatGoValue).join(" ")}]`;
  if (!isObject(value)) return String(value);
  const entries = Object.keys(value)
    .sort(compareUtf8)
    .map((key) => `${key}:${formatGoValue(getKey(value, key) ?? null)}`);
  return `map[${entries.join(" ")}]`;
}

/** A value as Go's `%s` prints it: what is no text is marked. */
export function formatGoText(value: Json): string {
  if (value === null) return "%!s(<nil>)";
  if (typeof value === "string" || typeof value === "object") return formatGoValue(value);
  return `%!s(${goTypeOf(value)}=${String(value)})`;
}

/** The Go type that the real server holds a JSON value in. */
export function goTypeOf(value: Json): string {
  if (value === null) return "%!s(<nil>)";
  if (isList(value)) return "[]interface {}";
  switch (typeof value) {
    case "string":
      return "string";
    case "boolean":
      return "bool";
    case "bigint":
      return "int64";
    case "number":
      return Number.isInteger(value) ? "int64" : "float64";
    default:
      return "map[string]interface {}";
  }
}

/** What Go's JSON decoder calls a value that it did not expect. */
export function jsonTypeOf(value: Json): string {
  if (value === null) return "null";
  if (isList(value)) return "array";
  switch (typeof value) {
    case "string":
      return "string";
    case "boolean":
      return "bool";
    case "object":
      return "object";
    default:
      return "number";
  }
}
