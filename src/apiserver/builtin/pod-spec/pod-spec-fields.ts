// SPDX-License-Identifier: Apache-2.0
// Reads and sets fields of decoded objects. Decoding has checked the types; a value of another type is read as absent.
import {
  type Draft,
  type DraftObject,
  getKey,
  isList,
  isObject,
  type Json,
  type JsonObject,
  setKey,
  valueAt,
} from "../../json/json.ts";

/** The objects in the list at the path; empty if there is no list. */
export function objectsAt(value: DraftObject, ...path: readonly string[]): DraftObject[];
export function objectsAt(value: JsonObject, ...path: readonly string[]): JsonObject[];
export function objectsAt(value: JsonObject, ...path: readonly string[]): JsonObject[] {
  const list = valueAt(value, ...path);
  return isList(list) ? list.filter((item) => isObject(item)) : [];
}

/** The strings in the list at the path. */
export function textsAt(value: JsonObject, ...path: readonly string[]): readonly string[] {
  const list = valueAt(value, ...path);
  return isList(list) ? list.filter((item) => typeof item === "string") : [];
}

/** The string at the path; empty if absent, as in Go. */
export function textOf(value: JsonObject, ...path: readonly string[]): string {
  const found = valueAt(value, ...path);
  return typeof found === "string" ? found : "";
}

/** The integer at the path; 0 if absent, as in Go. */
export function countOf(value: JsonObject, ...path: readonly string[]): number {
  const found = valueAt(value, ...path);
  if (typeof found === "bigint") return Number(found);
  return typeof found === "number" ? found : 0;
}

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
