// SPDX-License-Identifier: Apache-2.0
// Values as Go prints them in error messages: maps sorted by key, structs in the order of their fields.

import { getKey, isObject, type Json, type JsonObject } from "../../json/json.ts";
import { listAt, textOf } from "../../json/json-fields.ts";
import { sortedKeys } from "../../metadata/label-rules.ts";

/** A copy of a string map with sorted keys; null if absent. */
export function shownMap(map: Json | undefined): Json {
  if (!isObject(map)) return null;
  const shown: { [key: string]: Json } = {};
  for (const key of sortedKeys(map))
    Object.defineProperty(shown, key, { value: getKey(map, key) ?? null, enumerable: true });
  return shown;
}

/** A LabelSelector with its fields in Go's order; null if absent. */
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

/** The given keys of an object that are present, in this order. Other values are returned unchanged. */
export function pickInOrder(value: Json, keys: readonly string[]): Json {
  if (!isObject(value)) return value;
  const shown: { [key: string]: Json } = {};
  for (const key of keys) {
    const found = getKey(value, key);
    if (found !== undefined) shown[key] = found;
  }
  return shown;
}

/** A copy of the object without these keys. */
export function without(object: JsonObject, ...keys: readonly string[]): JsonObject {
  const rest: { [key: string]: Json } = {};
  for (const key of Object.keys(object)) {
    if (!keys.includes(key))
      Object.defineProperty(rest, key, { value: getKey(object, key) ?? null, enumerable: true, configurable: true });
  }
  return rest;
}

/** An update strategy as error messages print it: in kube-apiserver's internal form. */
export function shownStrategy(strategy: JsonObject): Json {
  const rollingUpdate = getKey(strategy, "rollingUpdate");
  return {
    Type: textOf(strategy, "type"),
    RollingUpdate: isObject(rollingUpdate)
      ? {
          MaxUnavailable: getKey(rollingUpdate, "maxUnavailable") ?? 0,
          MaxSurge: getKey(rollingUpdate, "maxSurge") ?? 0,
        }
      : null,
  };
}
