// SPDX-License-Identifier: Apache-2.0
import { compareUtf8 } from "../../../model/text.ts";
import { type Draft, type DraftObject, isList, isObject, type Json, setKey } from "../../json/json.ts";
import { stringifyJson } from "../../json/stringify-json.ts";

/** The same text for equal values: keys are sorted. */
export function canonicalText(value: Json): string {
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
