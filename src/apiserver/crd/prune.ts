// SPDX-License-Identifier: Apache-2.0
// Fields that a schema does not name are dropped, as Go's decoder drops those that a struct does not have.
import { compareUtf8 } from "../../model/text.ts";
import { type Draft, type DraftObject, deleteKey, getKey, isList, isObject } from "../json/json.ts";
import type { SchemaNode } from "./schema-node.ts";

/** What every object has, and a schema need not name. */
const metaKeys: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);

/** Drops unknown fields of an object and gives their paths, `spec.list[0].x`, in bytewise order. The object's own metadata stays. */
export function pruneObject(object: DraftObject, node: SchemaNode): readonly string[] {
  const dropped: string[] = [];
  pruneValue(object, { ...node, isEmbeddedResource: true }, "", dropped);
  return dropped.toSorted(compareUtf8);
}

/** Drops unknown fields of any value, as `pruneObject` does; metadata stays only where the schema is that of an embedded resource. */
export function pruneValue(value: Draft, node: SchemaNode | undefined, at: string, dropped: string[]): void {
  if (isObject(value)) pruneKeys(value, node, at, dropped);
  else if (isList(value))
    for (const [index, item] of value.entries()) {
      // A list below preserved fields preserves those of its items too.
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
