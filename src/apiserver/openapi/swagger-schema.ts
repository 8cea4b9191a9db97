// SPDX-License-Identifier: Apache-2.0
import { type DraftObject, getKey, isList, isObject, type Json, type JsonObject, setKey } from "../json/json.ts";
import { isEmbedded } from "./embedded-schema.ts";

/** Types that OpenAPI v2 cannot say as v3 does: of two types it names one. */
const ownSchemas: ReadonlyMap<string, JsonObject> = new Map<string, JsonObject>([
  ["io.k8s.apimachinery.pkg.api.resource.Quantity", { type: "string" }],
  ["io.k8s.apimachinery.pkg.util.intstr.IntOrString", { type: "string", format: "int-or-string" }],
]);

/** What v2 does not have, or the real server leaves out of it: defaults would be taken for what the server fills in, which depends on the version. */
const leftOut: ReadonlySet<string> = new Set(["allOf", "anyOf", "oneOf", "not", "default", "nullable"]);
/** What clients of v2 would wrongly refuse an object by: null, or fields that are kept though no schema names them. */
const shape: ReadonlySet<string> = new Set(["type", "items", "properties", "additionalProperties"]);

/** A schema of a v3 document, under that name, as v2 has it. */
export function toSwaggerDefinition(name: string, schema: JsonObject): JsonObject {
  const own = ownSchemas.get(name);
  if (own !== undefined) return own;
  const converted = toSwaggerSchema(schema);
  if (!keepsUnknown(schema)) return converted;
  // Of an object that takes anything, clients of v2 learn nothing but its kind.
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

/** The type that a schema refers to, bare or wrapped so that something else can stand beside it. */
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

/** Null is as good as absence there. */
function isNullable(schema: JsonObject, name: Json): boolean {
  const properties = getKey(schema, "properties");
  const property = isObject(properties) && typeof name === "string" ? getKey(properties, name) : undefined;
  return isObject(property) && getKey(property, "nullable") === true;
}

/** Kind and version of an embedded resource that takes anything: without properties, v2 does not require them either. */
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
