// SPDX-License-Identifier: Apache-2.0
// Schemas and versions as Go prints its structs in kube-apiserver's messages: every field, by its Go name.
import { getKey, isList, isObject, type Json, type JsonObject } from "../../json/json.ts";
import type { CrdVersion } from "../definition/crd-accessors.ts";

type Zero = "" | false | null;
type Convert = (value: Json) => Json;
type GoField = readonly [goName: string, jsonName: string, zero: Zero, convert?: Convert];

/** In the struct's order. An absent field has its zero value. */
export const schemaFields: readonly GoField[] = [
  ["ID", "id", ""],
  ["Schema", "$schema", ""],
  ["Ref", "$ref", null],
  ["Description", "description", ""],
  ["Type", "type", ""],
  ["Nullable", "nullable", false],
  ["Format", "format", ""],
  ["Title", "title", ""],
  ["Default", "default", null],
  ["Maximum", "maximum", null],
  ["ExclusiveMaximum", "exclusiveMaximum", false],
  ["Minimum", "minimum", null],
  ["ExclusiveMinimum", "exclusiveMinimum", false],
  ["MaxLength", "maxLength", null],
  ["MinLength", "minLength", null],
  ["Pattern", "pattern", ""],
  ["MaxItems", "maxItems", null],
  ["MinItems", "minItems", null],
  ["UniqueItems", "uniqueItems", false],
  ["MultipleOf", "multipleOf", null],
  ["Enum", "enum", null],
  ["MaxProperties", "maxProperties", null],
  ["MinProperties", "minProperties", null],
  ["Required", "required", null],
  ["Items", "items", null, toSchemaOrList],
  ["AllOf", "allOf", null, toSchemas],
  ["OneOf", "oneOf", null, toSchemas],
  ["AnyOf", "anyOf", null, toSchemas],
  ["Not", "not", null, toGoSchema],
  ["Properties", "properties", null, toSchemaMap],
  ["AdditionalProperties", "additionalProperties", null, toSchemaOrBool],
  ["PatternProperties", "patternProperties", null, toSchemaMap],
  ["Dependencies", "dependencies", null],
  ["AdditionalItems", "additionalItems", null, toSchemaOrBool],
  ["Definitions", "definitions", null, toSchemaMap],
  ["ExternalDocs", "externalDocs", null],
  ["Example", "example", null],
  ["XPreserveUnknownFields", "x-kubernetes-preserve-unknown-fields", null],
  ["XEmbeddedResource", "x-kubernetes-embedded-resource", false],
  ["XIntOrString", "x-kubernetes-int-or-string", false],
  ["XListMapKeys", "x-kubernetes-list-map-keys", null],
  ["XListType", "x-kubernetes-list-type", null],
  ["XMapType", "x-kubernetes-map-type", null],
  ["XValidations", "x-kubernetes-validations", null],
];

/** Converts a schema to Go's form. */
export function toGoSchema(schema: Json): Json {
  return isObject(schema) ? toGo(schema, schemaFields) : null;
}

/**
 * Converts versions to Go's form. `hasOwnSchemas` is false if all versions share a schema: Go then stores it outside
 * the versions.
 */
export function toGoVersions(versions: readonly CrdVersion[], hasOwnSchemas: boolean): Json {
  return versions.map(({ raw, name, isServed, isStorage, schema }) => ({
    Name: name,
    Served: isServed,
    Storage: isStorage,
    Deprecated: getKey(raw, "deprecated") === true,
    DeprecationWarning: getKey(raw, "deprecationWarning") ?? null,
    Schema: hasOwnSchemas && schema !== undefined ? { OpenAPIV3Schema: toGoSchema(schema) } : null,
    Subresources: null,
    AdditionalPrinterColumns: null,
    SelectableFields: null,
  }));
}

/** Whether Go treats the field as set. */
export function isSet(schema: JsonObject, [, jsonName, zero]: GoField): boolean {
  const value = getKey(schema, jsonName);
  return value !== undefined && value !== null && value !== zero;
}

function toGo(value: JsonObject, fields: readonly GoField[]): JsonObject {
  return Object.fromEntries(
    fields.map(([goName, jsonName, zero, convert]) => {
      const held = getKey(value, jsonName);
      if (held === undefined || held === null) return [goName, zero];
      return [goName, convert === undefined ? held : convert(held)];
    }),
  );
}

function toSchemas(value: Json): Json {
  return isList(value) ? value.map(toGoSchema) : null;
}

function toSchemaMap(value: Json): Json {
  if (!isObject(value)) return null;
  return Object.fromEntries(Object.keys(value).map((key) => [key, toGoSchema(value[key] ?? null)]));
}

function toSchemaOrList(value: Json): Json {
  return { Schema: toGoSchema(value), JSONSchemas: toSchemas(value) };
}

function toSchemaOrBool(value: Json): Json {
  return { Allows: value !== false, Schema: toGoSchema(value) };
}
