// SPDX-License-Identifier: Apache-2.0
// Drops fields that a schema does not name, as Go's decoder drops fields that a struct does not have.
import { compareUtf8 } from "../../../model/text.ts";
import { type Draft, type DraftObject, deleteKey, getKey, isList, isObject } from "../../json/json.ts";
import type { SchemaNode } from "../schema/schema-node.ts";

/** Keys that every object has; a schema need not name them. */
const metaKeys: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);

/**
 * Drops unknown fields of an object and returns their paths, such as `spec.list[0].x`, sorted bytewise. Keeps the
 * object's own metadata.
 */
export function pruneObject(object: DraftObject, node: SchemaNode): readonly string[] {
  const dropped: string[] = [];
  pruneValue(object, { ...node, isEmbeddedResource: true }, "", dropped);
  return dropped.toSorted(compareUtf8);
}

/** Drops unknown fields of any value, as `pruneObject` does. Keeps metadata of embedded resources only. */
export function pruneValue(value: Draft, node: SchemaNode | undefined, at: string, dropped: string[]): void {
  if (isObject(value)) pruneKeys(value, node, at, dropped);
  else if (isList(value))
    for (const [index, item] of value.entries()) {
      // A list that preserves unknown fields preserves those of its items too.
      if (node?.preservesUnknownFields === true) preserveItem(item, node.items, `${at}[${index}]`, dropped);
      else pruneValue(item, node?.items, `${at}[${index}]`, dropped);
    }
}

function preserveItem(item: Draft, node: SchemaNode | undefined, at: string, dropped: string[]): void {
  if (node !== undefined) pruneValue(item, { ...node, preservesUnknownFields: true }, at, dropped);
}

function pruneKeys(object: DraftObject, node: SchemaNode | undefined, at: string, dropped: string[]): void {
  for (const key of Object.keys(object)) {
    if (node?.isEmbeddedResource === true && metaKeys.has(key)) continue;
    const value = getKey(object, key) ?? null;
    const place = at === "" ? key : `${at}.${key}`;
    const property = node?.properties.get(key);
    const additional = node?.additionalProperties;
    if (property !== undefined) pruneValue(value, property, place, dropped);
    else if (additional !== undefined)
      pruneValue(value, typeof additional === "object" ? additional : undefined, place, dropped);
    else if (node?.preservesUnknownFields !== true) {
      dropped.push(place);
      deleteKey(object, key);
    }
  }
}
