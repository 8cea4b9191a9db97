// SPDX-License-Identifier: Apache-2.0
// Duplicates in lists of type set (by item) and map (by key).

import { compareUtf8 } from "../../../model/text.ts";
import { type DraftObject, getKey, isList, isObject, type Json, type JsonObject, setKey } from "../../json/json.ts";
import { canonicalJson, sortKeys } from "../../json/stringify-json.ts";
import { duplicateValue, type FieldError, invalidValue } from "../../status/field-error.ts";
import type { SchemaNode } from "../schema/schema-node.ts";

/** Duplicates in the lists of an object. Each is reported once, at its second occurrence. */
export function validateListTypes(value: Json, node: SchemaNode | undefined, field = ""): readonly FieldError[] {
  if (node === undefined) return [];
  if (isList(value)) {
    const inItems = value.flatMap((item, index) => validateListTypes(item, node.items, `${field}[${index}]`));
    return [...validateList(value, node, field), ...inItems];
  }
  if (!isObject(value)) return [];
  const keys = Object.keys(value).toSorted(compareUtf8);
  const { additionalProperties: additional } = node;
  const inOthers =
    typeof additional === "object"
      ? keys.flatMap((key) => validateListTypes(getKey(value, key) ?? null, additional, `${field}[${key}]`))
      : [];
  const inNamed = keys.flatMap((key) =>
    validateListTypes(getKey(value, key) ?? null, node.properties.get(key), field === "" ? key : `${field}.${key}`),
  );
  return [...inOthers, ...inNamed];
}

function validateList(list: readonly Json[], node: SchemaNode, field: string): readonly FieldError[] {
  if (node.listType === "set") return findDuplicates(list, field);
  if (node.listType !== "map") return [];
  const strange = list.findIndex((item) => item !== null && !isObject(item));
  if (strange !== -1)
    return [
      invalidValue(
        `${field}[${strange}]`,
        sortKeys(list[strange] ?? null),
        "must be an object for an array of list-type map",
      ),
    ];
  return findDuplicates(
    list.map((item) => keyOf(isObject(item) ? item : {}, node.listMapKeys)),
    field,
  );
}

function keyOf(item: JsonObject, names: readonly string[]): JsonObject {
  const key: DraftObject = {};
  for (const name of names) if (Object.hasOwn(item, name)) setKey(key, name, sortKeys(item[name] ?? null));
  return key;
}

function findDuplicates(list: readonly Json[], field: string): readonly FieldError[] {
  const timesSeen = new Map<string, number>();
  return list.flatMap((item, index) => {
    const text = canonicalJson(item);
    const times = timesSeen.get(text) ?? 0;
    timesSeen.set(text, times + 1);
    return times === 1 ? [duplicateValue(`${field}[${index}]`, sortKeys(item))] : [];
  });
}
