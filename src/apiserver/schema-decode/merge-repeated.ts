// SPDX-License-Identifier: Apache-2.0
import { type Draft, type DraftObject, getKey, isList, isObject, setKey } from "../json/json.ts";
import type { Entries, JsonSpelling } from "../json/json-spelling.ts";
import type { ObjectSchema, SchemaTable, TypeRef } from "../schema/schema.ts";

/** What merging needs to know: the types, and which objects inside have repeated keys of their own. */
interface MergeContext {
  readonly table: SchemaTable;
  readonly spelling: JsonSpelling;
}

/**
 * What Go holds after keys came twice: it decodes each value into what the ones before left. Structs keep fields that the later one does not name, maps keep keys,
 * lists are as long as the later one but their items are merged; anything else is the later one. The result shares parts with the values.
 */
export function mergeEntries(context: MergeContext, schema: ObjectSchema, entries: Entries): DraftObject {
  const merged: DraftObject = {};
  for (const [key, value] of entries) {
    const field = schema.fields.get(key);
    const before = getKey(merged, key);
    if (field === undefined || before === undefined) setKey(merged, key, value);
    // A null empties what Go holds by reference and leaves anything else as it is.
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

function entriesOf({ spelling }: MergeContext, object: DraftObject): Entries {
  return spelling.entriesOf(object) ?? Object.entries(object);
}

function isReference(type: TypeRef): boolean {
  return type.kind === "list" || type.kind === "map" || type.kind === "bytes";
}
