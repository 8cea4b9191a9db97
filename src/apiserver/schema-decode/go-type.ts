// SPDX-License-Identifier: Apache-2.0
import type { FieldSchema, ObjectSchema, TypeRef } from "../schema/schema.ts";
import { namedGoType } from "./go-names.ts";

const scalarTypes = {
  string: "string",
  boolean: "bool",
  int32: "int32",
  int64: "int64",
  double: "float64",
  bytes: "[]uint8",
  time: "v1.Time",
  microTime: "v1.MicroTime",
  duration: "v1.Duration",
  quantity: "resource.Quantity",
  intOrString: "intstr.IntOrString",
  json: "v1.JSON",
  schemaOrBool: "v1.JSONSchemaPropsOrBool",
  schemaOrList: "v1.JSONSchemaPropsOrArray",
  schemaOrStrings: "v1.JSONSchemaPropsOrStringArray",
} as const;

/** Go's name for the type of a value in a field. `type` is the field's type or a part of it (its items or values). */
export function goTypeIn(schema: ObjectSchema, field: FieldSchema, type: TypeRef): string {
  let part = field.type;
  let text = namedGoType(schema.name, field.name) ?? derivedType(part);
  while (part !== type) {
    const inner = innerOf(part);
    if (inner === undefined) return derivedType(type);
    text = innerText(text, inner);
    part = inner;
  }
  return text.replace(/\|.*$/, "");
}

function innerOf(type: TypeRef): TypeRef | undefined {
  if (type.kind === "list") return type.item;
  return type.kind === "map" ? type.value : undefined;
}

function innerText(text: string, inner: TypeRef): string {
  const bar = text.indexOf("|");
  if (bar !== -1) return text.slice(bar + 1);
  if (text.startsWith("[]")) return text.slice(2);
  return text.startsWith("map[") ? text.slice(text.indexOf("]") + 1) : derivedType(inner);
}

function derivedType(type: TypeRef): string {
  switch (type.kind) {
    case "list":
      return `[]${derivedType(type.item)}`;
    case "map":
      return `map[string]${derivedType(type.value)}`;
    case "object": {
      // Go names a type by the last part of its package: `v1.PodSpec`.
      const parts = type.name.split(".");
      return parts.slice(-2).join(".");
    }
    default:
      return scalarTypes[type.kind];
  }
}
