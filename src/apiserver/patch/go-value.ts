// SPDX-License-Identifier: Apache-2.0
// Values and types as kube-apiserver's messages show them, formatted by Go.
import { compareUtf8 } from "../../model/text.ts";
import { getKey, isList, isObject, type Json } from "../json/json.ts";

/** Formats a value as Go's `%v` does: `map[a:1 b:[x y]]`, sorted keys, strings without quotes. */
export function formatGoValue(value: Json): string {
  if (value === null) return "<nil>";
  if (isList(value)) return `[${value.map(formatGoValue).join(" ")}]`;
  if (!isObject(value)) return String(value);
  const entries = Object.keys(value)
    .sort(compareUtf8)
    .map((key) => `${key}:${formatGoValue(getKey(value, key) ?? null)}`);
  return `map[${entries.join(" ")}]`;
}

/** Formats a value as Go's `%s` does, which marks values that are not strings. */
export function formatGoText(value: Json): string {
  if (value === null) return "%!s(<nil>)";
  if (typeof value === "string" || typeof value === "object") return formatGoValue(value);
  return `%!s(${goTypeOf(value)}=${String(value)})`;
}

/** The Go type that kube-apiserver decodes a JSON value to. */
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

/** The name that Go's JSON decoder has for an unexpected value. */
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
