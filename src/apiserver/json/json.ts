// SPDX-License-Identifier: Apache-2.0
// JSON values of API objects. Integers that a double cannot represent are bigints, so no digit is lost. Keys come from
// users, and `__proto__` is an ordinary key: change drafts by `setKey` and `deleteKey` unless the key is a literal.

/** An immutable value, which requests may share. */
export type Json = null | boolean | number | bigint | string | readonly Json[] | JsonObject;
export type JsonObject = { readonly [key: string]: Json };

/** A mutable value with one owner. Every draft is also a Json. */
export type Draft = null | boolean | number | bigint | string | Draft[] | DraftObject;
export type DraftObject = { [key: string]: Draft };

export function isObject(value: Draft | undefined): value is DraftObject;
export function isObject(value: Json | undefined): value is JsonObject;
export function isObject(value: Json | undefined): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isList(value: Draft | undefined): value is Draft[];
export function isList(value: Json | undefined): value is readonly Json[];
export function isList(value: Json | undefined): boolean {
  return Array.isArray(value);
}

/** The value of an own key, never one inherited from Object.prototype. */
export function getKey(object: DraftObject, key: string): Draft | undefined;
export function getKey(object: JsonObject, key: string): Json | undefined;
export function getKey(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Sets a key of any name, including `__proto__`. */
export function setKey(object: DraftObject, key: string, value: Draft): void {
  if (key === "__proto__")
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  else object[key] = value;
}

export function deleteKey(object: DraftObject, key: string): void {
  // oxlint-disable-next-line typescript/no-dynamic-delete
  delete object[key];
}

/** The object under a key; creates it if absent. */
export function ensureObject(object: DraftObject, key: string): DraftObject {
  const found = getKey(object, key);
  if (isObject(found)) return found;
  const made: DraftObject = {};
  setKey(object, key, made);
  return made;
}

/** A deep copy. */
export function copyJson(value: JsonObject): DraftObject;
export function copyJson(value: Json): Draft;
export function copyJson(value: Json): Draft {
  if (isList(value)) return value.map((item) => copyJson(item));
  if (!isObject(value)) return value;
  const copy: DraftObject = {};
  for (const key of Object.keys(value)) setKey(copy, key, copyJson(value[key] ?? null));
  return copy;
}

/** Deep equality, without regard to the order of keys. A bigint equals a number of the same value. */
export function isEqualJson(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (isList(a) && isList(b)) return a.length === b.length && a.every((item, index) => isEqualJson(item, b[index]));
  if (isObject(a) && isObject(b)) {
    const keys = Object.keys(a);
    return (
      keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && isEqualJson(a[key], b[key]))
    );
  }
  if (typeof a === "bigint" || typeof b === "bigint")
    // oxlint-disable-next-line eqeqeq
    return isNumeric(a) && isNumeric(b) && a == b;
  return false;
}

function isNumeric(value: Json | undefined): value is number | bigint {
  return typeof value === "number" || typeof value === "bigint";
}
