// SPDX-License-Identifier: Apache-2.0
// x-kubernetes-list-type, x-kubernetes-list-map-keys and x-kubernetes-map-type of a schema.
import { getKey, isList } from "../../json/json.ts";
import {
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupportedValue,
  requiredValue,
} from "../../status/field-error.ts";
import { toGoSchema } from "./go-schema.ts";
import type { SchemaNode } from "./schema-node.ts";

/** Errors in the list type, list map keys and map type of a schema. */
export function validateListRules(node: SchemaNode, field: string): readonly FieldError[] {
  const { listType, mapType, type } = node;
  const errors: FieldError[] = [];
  if (mapType !== undefined) {
    if (type !== "object") errors.push(typeError(type, field, "must be object if x-kubernetes-map-type is specified"));
    if (mapType !== "atomic" && mapType !== "granular")
      errors.push(notSupportedValue(`${field}.x-kubernetes-map-type`, mapType, ["atomic", "granular"]));
  }
  if (listType !== undefined && type !== "array")
    errors.push(typeError(type, field, "must be array if x-kubernetes-list-type is specified"));
  else if (listType === "set") errors.push(...validateSetItems(node, field));
  if (listType !== undefined && !["atomic", "set", "map"].includes(listType))
    errors.push(notSupportedValue(`${field}.x-kubernetes-list-type`, listType, ["atomic", "set", "map"]));
  if (node.listMapKeys.length > 0 && listType !== "map") {
    const because = "must be map if x-kubernetes-list-map-keys is non-empty";
    const place = `${field}.x-kubernetes-list-type`;
    errors.push(listType === undefined ? requiredValue(place, because) : invalidValue(place, listType, because));
  }
  if (listType === "map") errors.push(...validateMap(node, field));
  if (listType === "set" || listType === "map") errors.push(...validateKeys(node, listType, field));
  return errors;
}

function typeError(type: string, field: string, because: string): FieldError {
  return type === "" ? requiredValue(`${field}.type`, because) : invalidValue(`${field}.type`, type, because);
}

/** Items of a set must be atomic. kube-apiserver shows the list type in both errors. */
function validateSetItems({ items }: SchemaNode, field: string): readonly FieldError[] {
  const because = "must be atomic as item of a list with x-kubernetes-list-type=set";
  const shown = items?.listType ?? null;
  if (items?.type === "array" && items.listType !== undefined && items.listType !== "atomic")
    return [invalidValue(`${field}.items.x-kubernetes-list-type`, shown, because)];
  if (items?.type === "object" && items.mapType !== "atomic")
    return [invalidValue(`${field}.items.x-kubernetes-map-type`, shown, because)];
  return [];
}

function validateMap(node: SchemaNode, field: string): readonly FieldError[] {
  const { items, listMapKeys, raw } = node;
  const errors: FieldError[] = [];
  if (listMapKeys.length === 0) {
    const because = "must not be empty if x-kubernetes-list-type is map";
    errors.push(requiredValue(`${field}.x-kubernetes-list-map-keys`, because));
  }
  if (items === undefined) {
    const list = getKey(raw, "items");
    errors.push(
      isList(list)
        ? invalidValue(
            `${field}.items`,
            { Schema: null, JSONSchemas: list.map(toGoSchema) },
            "must only have a single schema if x-kubernetes-list-type is map",
          )
        : requiredValue(`${field}.items`, "must have a schema if x-kubernetes-list-type is map"),
    );
    return errors;
  }
  if (items.type !== "object") {
    const because = "must be object if parent array's x-kubernetes-list-type is map";
    return [...errors, invalidValue(`${field}.items.type`, items.type, because)];
  }
  for (const [index, key] of listMapKeys.entries()) {
    const type = items.properties.get(key)?.type;
    if (type === undefined)
      errors.push(
        invalidValue(
          `${field}.x-kubernetes-list-map-keys`,
          listMapKeys,
          "entries must all be names of item properties",
        ),
      );
    if (type === "array" || type === "object") {
      const because = "must be a scalar type if parent array's x-kubernetes-list-type is map";
      errors.push(invalidValue(`${field}.items.properties[${key}].type`, items.type, because));
    }
    if (listMapKeys.indexOf(key) < index)
      errors.push(
        invalidValue(`${field}.x-kubernetes-list-map-keys`, listMapKeys, "must not contain duplicate entries"),
      );
  }
  return errors;
}

function validateKeys({ items, listMapKeys }: SchemaNode, listType: string, field: string): readonly FieldError[] {
  if (items === undefined) return [];
  const errors: FieldError[] = [];
  if (items.nullable)
    errors.push(
      forbiddenField(`${field}.items.nullable`, `cannot be nullable when x-kubernetes-list-type is ${listType}`),
    );
  for (const key of listType === "map" ? listMapKeys : []) {
    const property = items.properties.get(key);
    if (property === undefined) continue;
    const place = `${field}.items.properties[${key}]`;
    const because = "this property is in x-kubernetes-list-map-keys, so it";
    if (!items.required.includes(key) && property.default === undefined)
      errors.push(requiredValue(`${place}.default`, `${because} must have a default or be a required property`));
    if (property.nullable) errors.push(forbiddenField(`${place}.nullable`, `${because} cannot be nullable`));
  }
  return errors;
}
