// SPDX-License-Identifier: Apache-2.0
// Checks of single fields that many kinds share. Error messages are those of Kubernetes.

import { utf8ByteCount } from "../../../model/text.ts";
import { isEqualJson, isList, isObject, type Json, type JsonObject } from "../../json/json.ts";
import { valueAt } from "../../json/json-fields.ts";
import { type FieldError, invalidValue, notSupportedValue, tooLong } from "../../status/field-error.ts";

/** Returns an error if the number at the path is negative. An absent one is valid. */
export function nonNegative(object: JsonObject, field: string, ...path: readonly string[]): readonly FieldError[] {
  return nonNegativeValue(valueAt(object, ...path), [field, ...path].filter((part) => part !== "").join("."));
}

/** As `nonNegative`, for the value itself. */
export function nonNegativeValue(value: Json | undefined, field: string): readonly FieldError[] {
  if (typeof value !== "number" && typeof value !== "bigint") return [];
  return value < 0 ? [invalidValue(field, value, "must be greater than or equal to 0")] : [];
}

/** Returns an error if the value changed, as compared by `isSameValue`. */
export function immutable(value: Json | undefined, old: Json | undefined, field: string): readonly FieldError[] {
  return isSameValue(value, old) ? [] : [invalidValue(field, value ?? null, "field is immutable")];
}

/** Whether two values are equal. Absent, null and an empty list are the same value. */
export function isSameValue(a: Json | undefined, b: Json | undefined): boolean {
  return isEqualJson(absentAsNull(a), absentAsNull(b));
}

function absentAsNull(value: Json | undefined): Json {
  return value === undefined || (isList(value) && value.length === 0) ? null : value;
}

/** Returns an error if the value is not one of the supported ones. Absent and null are valid. */
export function oneOf(value: Json | undefined, supported: readonly string[], field: string): readonly FieldError[] {
  if (value === undefined || value === null) return [];
  return typeof value === "string" && supported.includes(value) ? [] : [notSupportedValue(field, value, supported)];
}

/** Returns an error if the text has more UTF-8 bytes than `maxBytes`. */
export function atMostBytes(text: string, maxBytes: number, field: string): readonly FieldError[] {
  return utf8ByteCount(text) > maxBytes ? [tooLong(field, maxBytes)] : [];
}

/** The object under the key; an empty object if there is none. */
export function objectOf(object: JsonObject, key: string): JsonObject {
  const found = valueAt(object, key);
  return isObject(found) ? found : {};
}
