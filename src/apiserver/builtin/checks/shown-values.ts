// SPDX-License-Identifier: Apache-2.0
// Values as Go shows them in a sentence: maps by key, structs by the order of their fields.
import { getKey, isObject, type Json, type JsonObject, listAt } from "../../json/json.ts";
import { sortedKeys } from "../../metadata/label-rules.ts";

/** A map of texts with its keys in order; null where there is none. */
export function shownMap(map: Json | undefined): Json {
  if (!isObject(map)) return null;
  const shown: { [key: string]: Json } = {};
  for (const key of sortedKeys(map))
    Object.defineProperty(shown, key, { value: getKey(map, key) ?? null, enumerable: true });
  return shown;
}

/** A LabelSelector; null where there is none. */
export function shownSelector(selector: Json | undefined): Json {
  if (!isObject(selector)) return null;
  const labels = getKey(selector, "matchLabels");
  const expressions = listAt(selector, "matchExpressions") ?? [];
  return {
    ...(isObject(labels) && Object.keys(labels).length > 0 ? { matchLabels: shownMap(labels) } : {}),
    ...(expressions.length > 0
      ? { matchExpressions: expressions.map((item) => pickInOrder(item, ["key", "operator", "values"])) }
      : {}),
  };
}

/** The keys that are there, in the order given; what is no object stays as it is. */
export function pickInOrder(value: Json, keys: readonly string[]): Json {
  if (!isObject(value)) return value;
  const shown: { [key: string]: Json } = {};
  for (const key of keys) {
    const found = getKey(value, key);
    if (found !== undefined) shown[key] = found;
  }
  return shown;
}

/** The object without those keys. */
export function without(object: JsonObject, ...keys: readonly string[]): JsonObject {
  const rest: { [key: string]: Json } = {};
  for (const key of Object.keys(object)) {
    if (!keys.includes(key))
      Object.defineProperty(rest, key, { value: getKey(object, key) ?? null, enumerable: true, configurable: true });
  }
  return rest;
}
