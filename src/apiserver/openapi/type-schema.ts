// SPDX-License-Identifier: Apache-2.0
// The OpenAPI schema of a built-in type as kube-apiserver publishes it, without descriptions.
import { type DraftObject, type Json, type JsonObject, setKey } from "../json/json.ts";
import type { FieldSchema, ObjectSchema, ScalarType, TypeRef } from "../schema/schema.ts";

/** A kind in OpenAPI's extensions. */
export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

const machinery = "io.k8s.apimachinery.pkg";
const extensions = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1";

/** Types whose values are not objects with fields. */
export const specialSchemas: ReadonlyMap<string, JsonObject> = new Map<string, JsonObject>([
  [`${machinery}.apis.meta.v1.Time`, { type: "string", format: "date-time" }],
  [`${machinery}.apis.meta.v1.MicroTime`, { type: "string", format: "date-time" }],
  [`${machinery}.apis.meta.v1.Duration`, { type: "string" }],
  [`${machinery}.apis.meta.v1.FieldsV1`, { type: "object" }],
  [`${machinery}.apis.meta.v1.Patch`, { type: "object" }],
  [`${machinery}.api.resource.Quantity`, { oneOf: [{ type: "string" }, { type: "number" }] }],
  [
    `${machinery}.util.intstr.IntOrString`,
    { format: "int-or-string", oneOf: [{ type: "integer" }, { type: "string" }] },
  ],
  [`${machinery}.runtime.RawExtension`, { type: "object" }],
  [`${extensions}.JSON`, {}],
  [`${extensions}.JSONSchemaPropsOrBool`, {}],
  [`${extensions}.JSONSchemaPropsOrArray`, {}],
  [`${extensions}.JSONSchemaPropsOrStringArray`, {}],
]);

const nameOfScalar: ReadonlyMap<ScalarType, string> = new Map<ScalarType, string>([
  ["time", `${machinery}.apis.meta.v1.Time`],
  ["microTime", `${machinery}.apis.meta.v1.MicroTime`],
  ["duration", `${machinery}.apis.meta.v1.Duration`],
  ["quantity", `${machinery}.api.resource.Quantity`],
  ["intOrString", `${machinery}.util.intstr.IntOrString`],
  ["schemaOrBool", `${extensions}.JSONSchemaPropsOrBool`],
  ["schemaOrList", `${extensions}.JSONSchemaPropsOrArray`],
  ["schemaOrStrings", `${extensions}.JSONSchemaPropsOrStringArray`],
]);

const plainSchemas: ReadonlyMap<string, JsonObject> = new Map<string, JsonObject>([
  ["string", { type: "string" }],
  ["boolean", { type: "boolean" }],
  ["int32", { type: "integer", format: "int32" }],
  ["int64", { type: "integer", format: "int64" }],
  ["double", { type: "number", format: "double" }],
  ["bytes", { type: "string", format: "byte" }],
]);

/** Go's zero values, which OpenAPI shows as defaults of fields that are not pointers. */
const zeroValues: ReadonlyMap<string, Json> = new Map<string, Json>([
  ["string", ""],
  ["boolean", false],
  ["int32", 0],
  ["int64", 0],
  ["double", 0],
  ["object", {}],
]);

export function referenceTo(name: string): JsonObject {
  return { $ref: `#/components/schemas/${name}` };
}

/** The name of a type's published schema; undefined for inlined types. */
export function schemaName(type: TypeRef, owner: ObjectSchema): string | undefined {
  if (type.kind === "object") return type.name;
  if (type.kind === "list" || type.kind === "map") return undefined;
  if (type.kind !== "json") return nameOfScalar.get(type.kind);
  if (owner.name.startsWith(extensions)) return `${extensions}.JSON`;
  return owner.goName === "ManagedFieldsEntry"
    ? `${machinery}.apis.meta.v1.FieldsV1`
    : `${machinery}.runtime.RawExtension`;
}

/** The schema of a type; `kinds` are the kinds of its objects. */
export function toTypeSchema(type: ObjectSchema, kinds: readonly GroupVersionKind[]): JsonObject {
  const fields = [...type.fields.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  const required = [...type.fields.values()].filter((field) => field.required).map(({ name }) => name);
  const properties: DraftObject = {};
  for (const field of fields) setKey(properties, field.name, { ...toPropertySchema(field, type) } as DraftObject);
  return {
    type: "object",
    ...(required.length === 0 ? {} : { required }),
    ...(fields.length === 0 ? {} : { properties }),
    ...(kinds.length === 0 ? {} : { "x-kubernetes-group-version-kind": kinds.map((kind) => ({ ...kind })) }),
    ...(type.mapType === undefined ? {} : { "x-kubernetes-map-type": type.mapType }),
  };
}

function toPropertySchema(field: FieldSchema, owner: ObjectSchema): JsonObject {
  const { type, pointer, omitEmpty } = field;
  const isValue = !pointer && (type.kind === "object" || !omitEmpty);
  const fallback = field.default ?? (isValue ? zeroValues.get(type.kind) : undefined);
  const own = type.kind === "list" || type.kind === "map" ? {} : enumOf(field);
  return {
    ...toValueSchema(type, owner, field),
    ...(fallback === undefined ? {} : { default: fallback }),
    ...own,
    ...pick("x-kubernetes-list-type", field.listType),
    ...(field.listMapKeys === undefined ? {} : { "x-kubernetes-list-map-keys": [...field.listMapKeys] }),
    ...pick("x-kubernetes-map-type", field.mapType),
    ...pick("x-kubernetes-patch-strategy", field.patchStrategies.join(",")),
    ...pick("x-kubernetes-patch-merge-key", field.patchMergeKey),
  };
}

function toValueSchema(type: TypeRef, owner: ObjectSchema, field: FieldSchema): JsonObject {
  if (type.kind === "list") return { type: "array", items: toItemSchema(type.item, owner, field) };
  if (type.kind === "map") return { type: "object", additionalProperties: toItemSchema(type.value, owner, field) };
  const name = schemaName(type, owner);
  // No keyword may stand beside a reference, so kube-apiserver wraps references where one might.
  return name === undefined ? (plainSchemas.get(type.kind) ?? {}) : { allOf: [referenceTo(name)] };
}

/** Items are never pointers. */
function toItemSchema(type: TypeRef, owner: ObjectSchema, field: FieldSchema): JsonObject {
  const fallback = zeroValues.get(type.kind);
  const name = schemaName(type, owner);
  if (name !== undefined && fallback === undefined) return referenceTo(name);
  const isInner = type.kind === "list" || type.kind === "map";
  return {
    ...toValueSchema(type, owner, field),
    ...(fallback === undefined ? {} : { default: fallback }),
    ...(isInner ? {} : enumOf(field)),
  };
}

function enumOf(field: FieldSchema): JsonObject {
  return field.enum === undefined ? {} : { enum: [...field.enum] };
}

function pick(key: string, value: string | undefined): JsonObject {
  return value === undefined || value === "" ? {} : { [key]: value };
}
