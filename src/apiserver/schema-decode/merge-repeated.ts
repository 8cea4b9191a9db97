// SPDX-License-Identifier: Apache-2.0
import { type Draft, type DraftObject, getKey, isList, isObject, setKey } from "../json/json.ts";
import type { Entries, JsonSourceDetails } from "../json/json-source-details.ts";
import type { ObjectSchema, SchemaTable, TypeRef } from "../schema/schema.ts";

/** The types, and the entries of objects with repeated keys. */
interface MergeContext {
  readonly table: SchemaTable;
  readonly details: JsonSourceDetails;
}

/**
 * Merges the values of repeated keys as Go does, which decodes each value into the result of the ones before. Structs
 * and maps keep keys that the later value lacks. Lists get the length of the later one, with merged items. Any other
 * value is replaced. The result shares parts with the values.
 */
export function mergeEntries(context: MergeContext, schema: ObjectSchema, entries: Entries): DraftObject {
  const merged: DraftObject = {};
  for (const [key, value] of entries) {
    const field = schema.fields.get(key);
    const before = getKey(merged, key);
    if (field === undefined || before === undefined) setKey(merged, key, value);
    // A null clears fields that Go holds by reference and leaves others unchanged.
    else if (value !== null || field.pointer || isReference(field.type))
      setKey(merged, key, mergeValues(context, field.type, before, value));
  }
  return merged;
}

function mergeValues(context: MergeContext, type: TypeRef, first: Draft, second: Draft): Draft {
  if (type.kind === "object" && isObject(first) && isObject(second)) {
    const entries = [...entriesOf(context, first), ...entriesOf(context, second)];
    return mergeEntries(context, context.table.object(type.name), entries);
  }
  if (type.kind === "map" && isObject(first) && isObject(second)) {
    const merged: DraftObject = {};
    for (const part of [first, second]) for (const key of Object.keys(part)) setKey(merged, key, part[key] ?? null);
    return merged;
  }
  if (type.kind === "list" && isList(first) && isList(second))
    return second.map((item, index) => mergeValues(context, type.item, first[index] ?? null, item));
  return second;
}

function entriesOf({ details }: MergeContext, object: DraftObject): Entries {
  return details.entriesOf(object) ?? Object.entries(object);
}

function isReference(type: TypeRef): boolean {
  return type.kind === "list" || type.kind === "map" || type.kind === "bytes";
}
