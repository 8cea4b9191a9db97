// SPDX-License-Identifier: Apache-2.0
// Defaults of a schema, and nulls that are not allowed.
import {
  copyJson,
  type Draft,
  type DraftObject,
  deleteKey,
  getKey,
  isList,
  isObject,
  setKey,
} from "../../json/json.ts";
import type { SchemaNode } from "../schema/schema-node.ts";

/**
 * Sets every field that has a default and is absent, or is null but not nullable. Values from a default get their own
 * defaults too. Idempotent.
 */
export function fillDefaults(value: Draft, node: SchemaNode | undefined): void {
  if (node === undefined) return;
  if (isObject(value)) fillKeys(value, node);
  else if (isList(value))
    for (const [index, item] of value.entries()) {
      if (isWrongNull(item, node.items)) value[index] = copyDefault(node.items);
      fillDefaults(value[index] ?? null, node.items);
    }
}

/**
 * Drops nulls that are not nullable and have no default. Nulls in lists stay, so that the indexes of other items do not
 * change.
 */
export function dropNulls(value: Draft, node: SchemaNode | undefined): void {
  if (node === undefined) return;
  if (isObject(value))
    for (const key of Object.keys(value)) {
      const child = childOf(node, key);
      const held = getKey(value, key) ?? null;
      if (isWrongNull(held, child) && child?.default === undefined) deleteKey(value, key);
      else dropNulls(held, child);
    }
  else if (isList(value)) for (const item of value) dropNulls(item, node.items);
}

function fillKeys(object: DraftObject, node: SchemaNode): void {
  for (const [name, property] of node.properties) {
    if (property.default === undefined) continue;
    const held = getKey(object, name);
    if (held === undefined || isWrongNull(held, property)) setKey(object, name, copyDefault(property));
  }
  for (const key of Object.keys(object)) {
    const child = childOf(node, key);
    if (isWrongNull(getKey(object, key), child)) setKey(object, key, copyDefault(child));
    fillDefaults(getKey(object, key) ?? null, child);
  }
}

function childOf(node: SchemaNode, key: string): SchemaNode | undefined {
  const property = node.properties.get(key);
  if (property !== undefined) return property;
  return typeof node.additionalProperties === "object" ? node.additionalProperties : undefined;
}

function isWrongNull(value: Draft | undefined, node: SchemaNode | undefined): boolean {
  return value === null && node !== undefined && !node.nullable;
}

function copyDefault(node: SchemaNode | undefined): Draft {
  return copyJson(node?.default ?? null);
}
