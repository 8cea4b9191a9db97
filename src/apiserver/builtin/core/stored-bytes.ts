// SPDX-License-Identifier: Apache-2.0
// The contents of ConfigMaps and Secrets: how large they are, and text as base64.
import { utf8ByteCount } from "../../../model/text.ts";
import { getKey, isObject, type Json, type JsonObject } from "../../json/json.ts";

/** How many bytes the values of a ConfigMap or Secret may have together: 1 MiB, below etcd's limit for one object. */
export const maxContentBytes = 1024 * 1024;

/** The text as base64 of its UTF-8 bytes. */
export function encodeBase64(text: string): string {
  let binary = "";
  for (const byte of new TextEncoder().encode(text)) binary += String.fromCharCode(byte);
  return btoa(binary);
}

/** The text behind base64, where it is UTF-8; other bytes are replaced. */
export function decodeBase64(base64: string): string {
  const binary = atob(base64);
  return new TextDecoder().decode(Uint8Array.from(binary, (letter) => letter.charCodeAt(0)));
}

/** Bytes of all values of a map of texts. */
export function textBytes(map: Json | undefined): number {
  return sumValues(map, utf8ByteCount);
}

/** Bytes behind all values of a map of base64 texts. */
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
