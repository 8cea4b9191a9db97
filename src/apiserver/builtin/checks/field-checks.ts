// SPDX-License-Identifier: Apache-2.0
// Checks of single fields that many kinds share, in Kubernetes' own words.
import { utf8ByteCount } from "../../../model/text.ts";
import { isEqualJson, isList, isObject, type Json, type JsonObject, valueAt } from "../../json/json.ts";
import { type FieldError, invalidValue, notSupportedValue, tooLong } from "../../status/field-error.ts";

/** A number below zero at the end of the path is a mistake; an absent one is none. */
export function nonNegative(object: JsonObject, field: string, ...path: readonly string[]): readonly FieldError[] {
  return nonNegativeValue(valueAt(object, ...path), [field, ...path].filter((part) => part !== "").join("."));
}

/** As `nonNegative`, for the value itself. */
export function nonNegativeValue(value: Json | undefined, field: string): readonly FieldError[] {
  if (typeof value !== "number" && typeof value !== "bigint") return [];
  return value < 0 ? [invalidValue(field, value, "must be greater than or equal to 0")] : [];
}

/** The field holds what it held. Absence and null are the same. */
export function immutable(value: Json | undefined, old: Json | undefined, field: string): readonly FieldError[] {
  return isSameValue(value, old) ? [] : [invalidValue(field, value ?? null, "field is immutable")];
}

/** Equal as the API sees it: null, an empty list and absence are one. */
export function isSameValue(a: Json | undefined, b: Json | undefined): boolean {
  return isEqualJson(absentAsNull(a), absentAsNull(b));
}

function absentAsNull(value: Json | undefined): Json {
  return value === undefined || (isList(value) && value.length === 0) ? null : value;
}

/** One of the supported values, where there is a value at all. */
export function oneOf(value: Json | undefined, supported: readonly string[], field: string): readonly FieldError[] {
  if (value === undefined || value === null) return [];
  return typeof value === "string" && supported.includes(value) ? [] : [notSupportedValue(field, value, supported)];
}

/** The text takes no more bytes than that. */
export function atMostBytes(text: string, maxBytes: number, field: string): readonly FieldError[] {
  return utf8ByteCount(text) > maxBytes ? [tooLong(field, maxBytes)] : [];
}

/** The value under the key; the empty object where there is none. */
export function objectOf(object: JsonObject, key: string): JsonObject {
  const found = valueAt(object, key);
  return isObject(found) ? found : {};
}
