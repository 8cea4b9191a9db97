// SPDX-License-Identifier: Apache-2.0
// A parsed schema of a CustomResourceDefinition, for checking, pruning, defaulting and validating.
import { compareUtf8 } from "../../../model/text.ts";
import { getKey, isList, isObject, type Json, type JsonObject } from "../../json/json.ts";

/**
 * Maximum nesting of schemas. The deepest schemas in use (embedded pod templates) have about 30 levels. Each level
 * takes one or two stack frames in every walk, and a few thousand would exhaust the stack.
 */
export const maxSchemaDepth = 250;

/** One schema. A value that is absent, null or of a wrong type is Go's zero value: `""`, false, undefined or empty. */
export interface SchemaNode {
  readonly raw: JsonObject;
  readonly type: string;
  readonly format: string;
  readonly nullable: boolean;
  /** Never null: the API ignores a null default. */
  readonly default: Json | undefined;
  readonly maximum: number | undefined;
  readonly exclusiveMaximum: boolean;
  readonly minimum: number | undefined;
  readonly exclusiveMinimum: boolean;
  readonly multipleOf: number | undefined;
  readonly maxLength: number | undefined;
  readonly minLength: number | undefined;
  readonly pattern: string;
  readonly maxItems: number | undefined;
  readonly minItems: number | undefined;
  readonly uniqueItems: boolean;
  readonly maxProperties: number | undefined;
  readonly minProperties: number | undefined;
  readonly enum: readonly Json[];
  readonly required: readonly string[];
  readonly items: SchemaNode | undefined;
  /** Sorted by name. */
  readonly properties: ReadonlyMap<string, SchemaNode>;
  readonly additionalProperties: SchemaNode | boolean | undefined;
  readonly allOf: readonly SchemaNode[];
  readonly anyOf: readonly SchemaNode[];
  readonly oneOf: readonly SchemaNode[];
  readonly not: SchemaNode | undefined;
  readonly preservesUnknownFields: boolean;
  readonly isEmbeddedResource: boolean;
  readonly isIntOrString: boolean;
  readonly listType: string | undefined;
  readonly listMapKeys: readonly string[];
  readonly mapType: string | undefined;
}

/** Parses a schema. Never throws. Omits schemas deeper than `maxSchemaDepth`; `isTooDeep` detects them. */
export function parseSchema(raw: JsonObject): SchemaNode {
  return parseAt(raw, 0);
}

/** Whether `parseSchema` would omit a part of the schema. */
export function isTooDeep(raw: JsonObject): boolean {
  let level: readonly JsonObject[] = [raw];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxSchemaDepth) return true;
    level = level.flatMap(childrenOf);
  }
  return false;
}

/** This schema and all schemas within it, itself first. */
export function* walkSchema(node: SchemaNode): Generator<SchemaNode> {
  yield node;
  const { items, additionalProperties, not } = node;
  const alternatives = [...node.allOf, ...node.anyOf, ...node.oneOf];
  for (const child of [items, ...alternatives, not, ...node.properties.values(), additionalProperties])
    if (child !== undefined && typeof child !== "boolean") yield* walkSchema(child);
}

function childrenOf(raw: JsonObject): readonly JsonObject[] {
  const single = ["items", "additionalProperties", "not"].map((key) => getKey(raw, key));
  const lists = ["allOf", "anyOf", "oneOf"].flatMap((key) => listOf(raw, key));
  const properties = getKey(raw, "properties");
  return [...single, ...lists, ...(isObject(properties) ? Object.values(properties) : [])].filter((child) =>
    isObject(child),
  );
}

function parseAt(raw: JsonObject, depth: number): SchemaNode {
  const isCut = depth >= maxSchemaDepth;
  const parseOne = (key: string): SchemaNode | undefined => {
    const child = getKey(raw, key);
    return isObject(child) && !isCut ? parseAt(child, depth + 1) : undefined;
  };
  const parseMany = (key: string): readonly SchemaNode[] =>
    isCut ? [] : listOf(raw, key).flatMap((child) => (isObject(child) ? [parseAt(child, depth + 1)] : []));
  const additional = getKey(raw, "additionalProperties");
  return {
    raw,
    type: textOf(raw, "type"),
    format: textOf(raw, "format"),
    nullable: isTrue(raw, "nullable"),
    default: getKey(raw, "default") ?? undefined,
    maximum: numberOf(raw, "maximum"),
    exclusiveMaximum: isTrue(raw, "exclusiveMaximum"),
    minimum: numberOf(raw, "minimum"),
    exclusiveMinimum: isTrue(raw, "exclusiveMinimum"),
    multipleOf: numberOf(raw, "multipleOf"),
    maxLength: numberOf(raw, "maxLength"),
    minLength: numberOf(raw, "minLength"),
    pattern: textOf(raw, "pattern"),
    maxItems: numberOf(raw, "maxItems"),
    minItems: numberOf(raw, "minItems"),
    uniqueItems: isTrue(raw, "uniqueItems"),
    maxProperties: numberOf(raw, "maxProperties"),
    minProperties: numberOf(raw, "minProperties"),
    enum: listOf(raw, "enum"),
    required: textsOf(raw, "required"),
    items: parseOne("items"),
    properties: isCut ? new Map<string, SchemaNode>() : parseProperties(raw, depth),
    additionalProperties: typeof additional === "boolean" ? additional : parseOne("additionalProperties"),
    allOf: parseMany("allOf"),
    anyOf: parseMany("anyOf"),
    oneOf: parseMany("oneOf"),
    not: parseOne("not"),
    preservesUnknownFields: isTrue(raw, "x-kubernetes-preserve-unknown-fields"),
    isEmbeddedResource: isTrue(raw, "x-kubernetes-embedded-resource"),
    isIntOrString: isTrue(raw, "x-kubernetes-int-or-string"),
    listType: optionalTextOf(raw, "x-kubernetes-list-type"),
    listMapKeys: textsOf(raw, "x-kubernetes-list-map-keys"),
    mapType: optionalTextOf(raw, "x-kubernetes-map-type"),
  };
}

function parseProperties(raw: JsonObject, depth: number): ReadonlyMap<string, SchemaNode> {
  const properties = getKey(raw, "properties");
  const parsed = new Map<string, SchemaNode>();
  if (!isObject(properties)) return parsed;
  for (const name of Object.keys(properties).toSorted(compareUtf8)) {
    const child = properties[name];
    if (isObject(child)) parsed.set(name, parseAt(child, depth + 1));
  }
  return parsed;
}

function isTrue(raw: JsonObject, key: string): boolean {
  return getKey(raw, key) === true;
}

function optionalTextOf(raw: JsonObject, key: string): string | undefined {
  const value = getKey(raw, key);
  return typeof value === "string" ? value : undefined;
}

function textOf(raw: JsonObject, key: string): string {
  return optionalTextOf(raw, key) ?? "";
}

function numberOf(raw: JsonObject, key: string): number | undefined {
  const value = getKey(raw, key);
  return typeof value === "number" || typeof value === "bigint" ? Number(value) : undefined;
}

function listOf(raw: JsonObject, key: string): readonly Json[] {
  const value = getKey(raw, key);
  return isList(value) ? value : [];
}

function textsOf(raw: JsonObject, key: string): readonly string[] {
  return listOf(raw, key).filter((item) => typeof item === "string");
}
