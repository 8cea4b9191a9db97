// SPDX-License-Identifier: Apache-2.0
// Reading and filling the fields of decoded objects. Decoding has checked the types; what is not of the expected type is read as absent.
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

/** The objects in the list at the end of a path; none where there is no list. */
export function objectsAt(value: DraftObject, ...path: readonly string[]): DraftObject[];
export function objectsAt(value: JsonObject, ...path: readonly string[]): JsonObject[];
export function objectsAt(value: JsonObject, ...path: readonly string[]): JsonObject[] {
  const list = valueAt(value, ...path);
  return isList(list) ? list.filter((item) => isObject(item)) : [];
}

/** The texts in the list at the end of a path. */
export function textsAt(value: JsonObject, ...path: readonly string[]): readonly string[] {
  const list = valueAt(value, ...path);
  return isList(list) ? list.filter((item) => typeof item === "string") : [];
}

/** The text at the end of a path; empty where there is none, as Go reads it. */
export function textOf(value: JsonObject, ...path: readonly string[]): string {
  const found = valueAt(value, ...path);
  return typeof found === "string" ? found : "";
}

/** The whole number at the end of a path; 0 where there is none, as Go reads it. */
export function countOf(value: JsonObject, ...path: readonly string[]): number {
  const found = valueAt(value, ...path);
  if (typeof found === "bigint") return Number(found);
  return typeof found === "number" ? found : 0;
}

/** The number at the end of a path that Go holds by pointer: undefined where there is none. */
export function pointedNumber(value: JsonObject, ...path: readonly string[]): number | bigint | undefined {
  const found = valueAt(value, ...path);
  return typeof found === "number" || typeof found === "bigint" ? found : undefined;
}

/** The field holds something: neither absent nor null. */
export function isSet(object: JsonObject, key: string): boolean {
  const found = getKey(object, key);
  return found !== undefined && found !== null;
}

/** Sets a field that Go holds by pointer where it is absent. */
export function setIfAbsent(object: DraftObject, key: string, value: Draft): void {
  if (!isSet(object, key)) setKey(object, key, value);
}

/** Sets a field that Go holds by value where it is absent or the empty value of its type. */
export function setIfEmpty(object: DraftObject, key: string, value: Draft): void {
  if (isEmptyValue(getKey(object, key))) setKey(object, key, value);
}

/** The empty value of a scalar, or nothing. */
export function isEmptyValue(value: Json | undefined): boolean {
  return value === undefined || value === null || value === "" || value === 0 || value === false;
}
