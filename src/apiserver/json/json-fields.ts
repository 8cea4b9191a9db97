// SPDX-License-Identifier: Apache-2.0
// Reads the value at a path of keys. A value of another type is read as absent.
import { type Draft, type DraftObject, getKey, isList, isObject, type Json, type JsonObject } from "./json.ts";

/** The value at a path of keys; undefined if a part of the path is not an object or has no such key. */
export function valueAt(value: Draft, ...path: readonly string[]): Draft | undefined;
export function valueAt(value: Json, ...path: readonly string[]): Json | undefined;
export function valueAt(value: Json, ...path: readonly string[]): Json | undefined {
  let found: Json | undefined = value;
  for (const key of path) found = isObject(found) ? getKey(found, key) : undefined;
  return found;
}

export function objectAt(value: Draft, ...path: readonly string[]): DraftObject | undefined;
export function objectAt(value: Json, ...path: readonly string[]): JsonObject | undefined;
export function objectAt(value: Json, ...path: readonly string[]): JsonObject | undefined {
  const found = valueAt(value, ...path);
  return isObject(found) ? found : undefined;
}

export function listAt(value: Draft, ...path: readonly string[]): Draft[] | undefined;
export function listAt(value: Json, ...path: readonly string[]): readonly Json[] | undefined;
export function listAt(value: Json, ...path: readonly string[]): readonly Json[] | undefined {
  const found = valueAt(value, ...path);
  return isList(found) ? found : undefined;
}

export function textAt(value: Json, ...path: readonly string[]): string | undefined {
  const found = valueAt(value, ...path);
  return typeof found === "string" ? found : undefined;
}

/** The string at the path; empty if absent, as in Go. */
export function textOf(value: Json, ...path: readonly string[]): string {
  return textAt(value, ...path) ?? "";
}

/** The objects in the list at the path; other items are skipped. Empty if there is no list. */
export function objectsAt(value: Draft, ...path: readonly string[]): DraftObject[];
export function objectsAt(value: Json, ...path: readonly string[]): JsonObject[];
export function objectsAt(value: Json, ...path: readonly string[]): JsonObject[] {
  return (listAt(value, ...path) ?? []).filter((item) => isObject(item));
}

/** The strings in the list at the path; other items are skipped. Empty if there is no list. */
export function textsAt(value: Json, ...path: readonly string[]): readonly string[] {
  return (listAt(value, ...path) ?? []).filter((item) => typeof item === "string");
}

/** The integer at the path; 0 if absent, as in Go. */
export function countOf(value: Json, ...path: readonly string[]): number {
  const found = valueAt(value, ...path);
  if (typeof found === "bigint") return Number(found);
  return typeof found === "number" ? found : 0;
}

export function numberAt(value: Json, ...path: readonly string[]): number | undefined {
  const found = valueAt(value, ...path);
  return typeof found === "number" ? found : undefined;
}
