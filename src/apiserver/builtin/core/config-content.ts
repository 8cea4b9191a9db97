// SPDX-License-Identifier: Apache-2.0
// Contents of ConfigMaps and Secrets: size, base64 encoding, and immutability.
import { utf8ByteCount } from "../../../model/text.ts";
import { getKey, isEqualJson, isObject, type Json, type JsonObject } from "../../json/json.ts";
import { type FieldError, forbiddenField } from "../../status/field-error.ts";

/** Maximum total size of the values of a ConfigMap or Secret: 1 MiB, below etcd's limit for one object. */
export const maxContentBytes = 1024 * 1024;

/** Encodes the UTF-8 bytes of the text as base64. */
export function encodeBase64(text: string): string {
  let binary = "";
  for (const byte of new TextEncoder().encode(text)) binary += String.fromCharCode(byte);
  return btoa(binary);
}

/** Decodes base64 to UTF-8 text. Invalid bytes are replaced. */
export function decodeBase64(base64: string): string {
  const binary = atob(base64);
  return new TextDecoder().decode(Uint8Array.from(binary, (letter) => letter.charCodeAt(0)));
}

/** Total size in bytes of the values of a string map. */
export function textBytes(map: Json | undefined): number {
  return sumValues(map, utf8ByteCount);
}

/** Total decoded size in bytes of the values of a base64 map. */
export function base64Bytes(map: Json | undefined): number {
  return sumValues(map, (base64) => (base64.length / 4) * 3 - (/={0,2}$/.exec(base64)?.[0].length ?? 0));
}

function sumValues(map: Json | undefined, count: (value: string) => number): number {
  if (!isObject(map)) return 0;
  const entries: JsonObject = map;
  return Object.keys(entries).reduce((sum, key) => {
    const value = getKey(entries, key);
    return typeof value === "string" ? sum + count(value) : sum;
  }, 0);
}

const detail = "field is immutable when `immutable` is set";

/** Validates an update of an immutable ConfigMap or Secret: neither `immutable` nor the contents may change. */
export function validateImmutableContent(
  object: JsonObject,
  old: JsonObject,
  contents: readonly string[],
): readonly FieldError[] {
  if (getKey(old, "immutable") !== true) return [];
  const opened = getKey(object, "immutable") === true ? [] : ["immutable"];
  const changed = contents.filter((key) => !isEqualJson(getKey(object, key) ?? {}, getKey(old, key) ?? {}));
  return [...opened, ...changed].map((key) => forbiddenField(key, detail));
}
