// SPDX-License-Identifier: Apache-2.0
import {
  copyJson,
  type Draft,
  type DraftObject,
  getKey,
  isObject,
  type Json,
  type JsonObject,
  setKey,
} from "../../../src/apiserver/json/json.ts";

/** The object with the patch merged in: null removes, lists are replaced. */
export function applyMerge(object: JsonObject, patch: JsonObject): DraftObject {
  const merged: DraftObject = {};
  for (const key of Object.keys(object))
    if (!Object.hasOwn(patch, key)) setKey(merged, key, copyJson(object[key] ?? null));
  for (const key of Object.keys(patch)) {
    const value = mergeValue(getKey(object, key), patch[key] ?? null);
    if (value !== null) setKey(merged, key, value);
  }
  return merged;
}

function mergeValue(value: Json | undefined, patch: Json): Draft {
  return isObject(patch) ? applyMerge(isObject(value) ? value : {}, patch) : copyJson(patch);
}
