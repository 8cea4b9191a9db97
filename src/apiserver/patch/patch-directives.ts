// SPDX-License-Identifier: Apache-2.0
// The directives of a strategic merge patch: `$patch`, `$retainKeys`, `$deleteFromPrimitiveList/…`,
// `$setElementOrder/…`.
import { type Draft, type DraftObject, deleteKey, getKey, isList, isObject, type Json, setKey } from "../json/json.ts";
import { type ApiError, badRequest } from "../status/api-error.ts";
import { formatGoText, formatGoValue } from "./go-value.ts";
import { strategicPatchFailed } from "./patch-error.ts";

export const patchDirective = "$patch";
const retainKeysDirective = "$retainKeys";
const deleteListPrefix = "$deleteFromPrimitiveList";
const orderPrefix = "$setElementOrder";

/** The field of `$deleteFromPrimitiveList/FIELD`; undefined for any other key. */
export function deleteListField(key: string): string | undefined {
  return fieldBehind(key, deleteListPrefix, "invalid patch format of primitive list");
}

/** The field of `$setElementOrder/FIELD`; undefined for any other key. */
export function orderField(key: string): string | undefined {
  return fieldBehind(key, orderPrefix, "invalid patch format of setElementOrder list");
}

export function unknownDirective(directive: Json, map: Json): ApiError {
  return strategicPatchFailed(`unknown patch type: ${formatGoText(directive)} in map: ${formatGoValue(map)}`);
}

/** Applies and removes `$retainKeys`: the original keeps only those keys, and the patch may set no other. */
export function applyRetainKeys(original: DraftObject, patch: DraftObject): void {
  const retained = getKey(patch, retainKeysDirective);
  if (retained === undefined) return;
  deleteKey(patch, retainKeysDirective);
  if (!isList(retained)) throw badRetainKeys();
  const kept = new Set<Json>(retained);
  for (const key of Object.keys(patch)) {
    const isDirective = key.startsWith(deleteListPrefix) || key.startsWith(orderPrefix);
    if (!isDirective && getKey(patch, key) !== null && !kept.has(key)) throw badRetainKeys();
  }
  for (const key of Object.keys(original)) if (!kept.has(key)) deleteKey(original, key);
}

/**
 * A patch value without a counterpart in the original. Maps with `$patch` are removed; undefined if the value itself is
 * one. Changes its input.
 */
export function withoutDirectives(value: Draft): Draft | undefined {
  if (isList(value)) return value.map(withoutDirectives).filter((item) => item !== undefined);
  if (!isObject(value)) return value;
  if (Object.hasOwn(value, patchDirective)) return undefined;
  for (const key of Object.keys(value)) {
    const inner = withoutDirectives(getKey(value, key) ?? null);
    if (inner === undefined) deleteKey(value, key);
    else setKey(value, key, inner);
  }
  return value;
}

/** Removes the keys whose value is null from all maps in the value. */
export function discardNulls(value: Draft): void {
  if (isList(value)) for (const item of value) discardNulls(item);
  if (!isObject(value)) return;
  for (const key of Object.keys(value)) {
    const inner = getKey(value, key) ?? null;
    if (inner === null) deleteKey(value, key);
    else discardNulls(inner);
  }
}

function fieldBehind(key: string, prefix: string, complaint: string): string | undefined {
  if (!key.startsWith(prefix)) return undefined;
  if (key.charAt(prefix.length) !== "/") throw badRequest(complaint);
  return key.slice(prefix.length + 1);
}

function badRetainKeys(): ApiError {
  return badRequest("invalid patch format of retainKeys");
}
