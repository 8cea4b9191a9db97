// SPDX-License-Identifier: Apache-2.0
import { compareUtf8 } from "../../model/text.ts";
import { type Draft, type DraftObject, isList, isObject, type Json, setKey } from "./json.ts";

declare global {
  interface JSON {
    /** Text that JSON.stringify inserts unchanged. Missing in TypeScript's library. */
    rawJSON(text: string): object;
  }
}

/** Encodes a value as JSON, with every digit of a bigint. */
export function stringifyJson(value: Json): string {
  // A replacer makes JSON.stringify several times slower, and few objects contain a bigint: JSON.stringify throws for
  // those.
  try {
    return JSON.stringify(value);
  } catch (reason) {
    if (!holdsBigint(value)) throw reason;
  }
  return JSON.stringify(value, (_key, part: unknown) => (typeof part === "bigint" ? JSON.rawJSON(String(part)) : part));
}

/** JSON with sorted keys: equal values have equal texts. */
export function canonicalJson(value: Json): string {
  return stringifyJson(sortKeys(value));
}

/** A copy with sorted keys, as Go encodes maps. */
export function sortKeys(value: Json): Draft {
  if (isList(value)) return value.map(sortKeys);
  if (!isObject(value)) return value;
  const sorted: DraftObject = {};
  for (const key of Object.keys(value).toSorted(compareUtf8)) setKey(sorted, key, sortKeys(value[key] ?? null));
  return sorted;
}

function holdsBigint(value: Json): boolean {
  if (typeof value === "bigint") return true;
  if (typeof value !== "object" || value === null) return false;
  for (const part of Object.values(value)) if (holdsBigint(part)) return true;
  return false;
}
