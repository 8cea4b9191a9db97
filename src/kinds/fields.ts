// SPDX-License-Identifier: Apache-2.0
// Reads fields of objects of unknown shape. A field that is missing or of another type counts as absent (KI3). Only own
// properties count, so `__proto__` and `constructor` are ordinary keys.
import { isRowTime } from "../model/rows/row-check.ts";

/** The value at a path of keys; undefined if a key on the path is missing. */
export function fieldOf(value: unknown, ...path: readonly string[]): unknown {
  let at = value;
  for (const key of path) {
    if (!isObject(at) || !Object.hasOwn(at, key)) return undefined;
    at = at[key];
  }
  return at;
}

/** True for a JSON object: not null and not an array. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The text at the path, or undefined. */
export function textOf(value: unknown, ...path: readonly string[]): string | undefined {
  const found = fieldOf(value, ...path);
  return typeof found === "string" ? found : undefined;
}

/** The safe integer at the path, or undefined. */
export function integerOf(value: unknown, ...path: readonly string[]): number | undefined {
  const found = fieldOf(value, ...path);
  return typeof found === "number" && Number.isSafeInteger(found) ? found : undefined;
}

/** The boolean at the path, or undefined. */
export function booleanOf(value: unknown, ...path: readonly string[]): boolean | undefined {
  const found = fieldOf(value, ...path);
  return typeof found === "boolean" ? found : undefined;
}

/** The elements of the list at the path; empty if there is no list. */
export function listOf(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = fieldOf(value, ...path);
  return Array.isArray(found) ? found : [];
}

/** The texts of the list at the path. Other elements are left out. */
export function textsOf(value: unknown, ...path: readonly string[]): readonly string[] {
  return listOf(value, ...path).filter((each) => typeof each === "string");
}

/** The pairs of the object at the path whose values are texts. */
export function textMapOf(value: unknown, ...path: readonly string[]): ReadonlyMap<string, string> {
  const found = fieldOf(value, ...path);
  const map = new Map<string, string>();
  if (!isObject(found)) return map;
  for (const key of Object.keys(found)) {
    const each = found[key];
    if (typeof each === "string") map.set(key, each);
  }
  return map;
}

/** The keys of the object at the path. */
export function keysOf(value: unknown, ...path: readonly string[]): readonly string[] {
  const found = fieldOf(value, ...path);
  return isObject(found) ? Object.keys(found) : [];
}

/**
 * The RFC 3339 time at the path, in milliseconds since 1970. 0, "not reported", for anything else and for a time that a
 * row cannot hold (CO21).
 */
export function timeOf(value: unknown, ...path: readonly string[]): number {
  const text = textOf(value, ...path);
  if (text === undefined || !rfc3339.test(text)) return 0;
  const atMs = Date.parse(text);
  return isRowTime(atMs) ? atMs : 0;
}

const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;
