// SPDX-License-Identifier: Apache-2.0
// Reads and sets fields of decoded objects. Decoding has checked the types; a value of another type is read as absent.

import { type Draft, type DraftObject, getKey, type Json, type JsonObject, setKey } from "../../json/json.ts";
import { valueAt } from "../../json/json-fields.ts";

/** The number at the path, for a field that is a pointer in Go; undefined if absent. */
export function pointedNumber(value: JsonObject, ...path: readonly string[]): number | bigint | undefined {
  const found = valueAt(value, ...path);
  return typeof found === "number" || typeof found === "bigint" ? found : undefined;
}

/** Whether the field is neither absent nor null. */
export function isSet(object: JsonObject, key: string): boolean {
  const found = getKey(object, key);
  return found !== undefined && found !== null;
}

/** Sets an absent field. For fields that are pointers in Go. */
export function setIfAbsent(object: DraftObject, key: string, value: Draft): void {
  if (!isSet(object, key)) setKey(object, key, value);
}

/** Sets a field that is absent or has the zero value of its type. For fields that are not pointers in Go. */
export function setIfEmpty(object: DraftObject, key: string, value: Draft): void {
  if (isEmptyValue(getKey(object, key))) setKey(object, key, value);
}

/** Whether the value is absent, null or the zero value of a scalar. */
export function isEmptyValue(value: Json | undefined): boolean {
  return value === undefined || value === null || value === "" || value === 0 || value === false;
}
