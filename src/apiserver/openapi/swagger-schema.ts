// SPDX-License-Identifier: Apache-2.0
import { type DraftObject, getKey, isList, isObject, type Json, type JsonObject, setKey } from "../json/json.ts";
import { isEmbedded } from "./embedded-schema.ts";

/** Types with a different schema in OpenAPI v2, which allows one type only. */
const ownSchemas: ReadonlyMap<string, JsonObject> = new Map<string, JsonObject>([
  ["io.k8s.apimachinery.pkg.api.resource.Quantity", { type: "string" }],
  ["io.k8s.apimachinery.pkg.util.intstr.IntOrString", { type: "string", format: "int-or-string" }],
]);

/**
 * Keywords that v2 lacks or kube-apiserver omits. Clients would treat defaults as the server's, which depend on the
 * version.
 */
const leftOut: ReadonlySet<string> = new Set(["allOf", "anyOf", "oneOf", "not", "default", "nullable"]);
/** Keywords by which v2 clients would wrongly refuse a null or a preserved unknown field. */
const shape: ReadonlySet<string> = new Set(["type", "items", "properties", "additionalProperties"]);

/** Converts a named schema of a v3 document to v2. */
export function toSwaggerDefinition(name: string, schema: JsonObject): JsonObject {
  const own = ownSchemas.get(name);
  if (own !== undefined) return own;
  const converted = toSwaggerSchema(schema);
  if (!keepsUnknown(schema)) return converted;
  // For an object that accepts any field, v2 has only its kind.
  return pick(converted, ["description", "x-kubernetes-group-version-kind"], { type: "object" });
}

function toSwaggerSchema(schema: JsonObject): JsonObject {
  const reference = referenceIn(schema);
  if (reference !== undefined) {
    const beside = Object.keys(schema).filter((key) => key === "description" || key.startsWith("x-"));
    return pick(schema, beside, { $ref: reference });
  }
  const isLoose = getKey(schema, "nullable") === true || keepsUnknown(schema);
  const converted: DraftObject = {};
  for (const [key, value] of Object.entries(schema)) {
    if (leftOut.has(key) || (isLoose && shape.has(key))) continue;
    setKey(converted, key, toPart(schema, key, value));
  }
  if (isList(converted["required"]) && converted["required"].length === 0) delete converted["required"];
  return converted;
}

function toPart(schema: JsonObject, key: string, value: Json): DraftObject[string] {
  if (key === "properties" && isObject(value)) {
    const properties: DraftObject = {};
    for (const [name, part] of Object.entries(value)) setKey(properties, name, toNested(part));
    return properties;
  }
  if (key === "items" || key === "additionalProperties") return toNested(value);
  if (key === "required" && isList(value))
    return value.filter((name) => !isNullable(schema, name) && !isOfType(schema, name)) as DraftObject[string];
  return value as DraftObject[string];
}

function toNested(value: Json): DraftObject[string] {
  return (isObject(value) ? toSwaggerSchema(value) : value) as DraftObject[string];
}

/** The type that a schema refers to, directly or wrapped in `allOf`. */
function referenceIn(schema: JsonObject): string | undefined {
  const wrapped = getKey(schema, "allOf");
  const holder = isList(wrapped) && wrapped.length === 1 ? wrapped[0] : schema;
  const reference = isObject(holder) ? getKey(holder, "$ref") : undefined;
  return typeof reference === "string" ? toDefinitionReference(reference) : undefined;
}

export function toDefinitionReference(reference: string): string {
  return reference.replace("#/components/schemas/", "#/definitions/");
}

function keepsUnknown(schema: JsonObject): boolean {
  return getKey(schema, "x-kubernetes-preserve-unknown-fields") === true;
}

/** Whether the property is nullable: null then equals absence. */
function isNullable(schema: JsonObject, name: Json): boolean {
  const properties = getKey(schema, "properties");
  const property = isObject(properties) && typeof name === "string" ? getKey(properties, name) : undefined;
  return isObject(property) && getKey(property, "nullable") === true;
}

/**
 * Whether the name is kind or apiVersion of an embedded resource that preserves unknown fields. Without properties, v2
 * does not require them.
 */
function isOfType(schema: JsonObject, name: Json): boolean {
  return keepsUnknown(schema) && isEmbedded(schema) && (name === "kind" || name === "apiVersion");
}

function pick(from: JsonObject, keys: readonly string[], start: JsonObject): JsonObject {
  const found = keys.flatMap((key): [string, Json][] => {
    const value = getKey(from, key);
    return value === undefined ? [] : [[key, value]];
  });
  return { ...start, ...Object.fromEntries(found) };
}
