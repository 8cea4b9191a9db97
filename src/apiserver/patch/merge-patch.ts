// SPDX-License-Identifier: Apache-2.0
import {
  copyJson,
  type Draft,
  type DraftObject,
  deleteKey,
  getKey,
  isList,
  isObject,
  type Json,
  type JsonObject,
  setKey,
} from "../json/json.ts";
import { badRequest } from "../status/api-error.ts";
import { wrongPatchBody } from "./patch-error.ts";

/**
 * Applies a JSON merge patch (RFC 7386) to a copy of the object. Null deletes a key, also within maps that the patch
 * adds. Throws an ApiError for a patch that is not an object.
 */
export function applyMergePatch(object: JsonObject, patch: Json): DraftObject {
  if (patch === null) throw badRequest("Invalid JSON Patch");
  if (!isObject(patch)) throw wrongPatchBody(patch, "map[string]interface {}");
  const result = copyJson(object);
  mergeInto(result, patch);
  return result;
}

function mergeInto(target: DraftObject, patch: JsonObject): void {
  for (const key of Object.keys(patch)) {
    const value = getKey(patch, key) ?? null;
    const current = getKey(target, key);
    if (value === null) deleteKey(target, key);
    else if (isObject(current) && isObject(value)) mergeInto(current, value);
    // As in kube-apiserver, a value that replaces a map keeps its nulls; other new values lose theirs.
    else setKey(target, key, isObject(current) ? copyJson(value) : copyWithoutNulls(value));
  }
}

/** A copy without keys whose value is null. Null items of lists stay. */
function copyWithoutNulls(value: Json): Draft {
  if (isList(value)) return value.map(copyWithoutNulls);
  if (!isObject(value)) return value;
  const copy: DraftObject = {};
  for (const key of Object.keys(value)) {
    const inner = getKey(value, key) ?? null;
    if (inner !== null) setKey(copy, key, copyWithoutNulls(inner));
  }
  return copy;
}
