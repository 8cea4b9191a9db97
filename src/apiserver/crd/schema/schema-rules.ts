// SPDX-License-Identifier: Apache-2.0
// Rules for each keyword of a schema, in kube-apiserver's order.
import { getKey, isList, type Json } from "../../json/json.ts";
import { type FieldError, forbiddenField, invalidValue, notSupportedValue } from "../../status/field-error.ts";
import { validateListRules } from "./list-rules.ts";
import type { SchemaNode } from "./schema-node.ts";

/** In the order in which kube-apiserver lists them. */
const types: readonly string[] = ["array", "boolean", "integer", "number", "object", "string"];

/** Rules that depend on the schema's position. */
interface Context {
  readonly isRoot: boolean;
  /** Inside kind, apiVersion or metadata of the object or of an embedded resource. */
  readonly isInsideMeta: boolean;
  /** Why a default is forbidden here; undefined if one is allowed. */
  readonly noDefault: string | undefined;
}

/** JSON schema keywords that the API refuses. */
const refusedKeywords = ["id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref"] as const;

/** Errors of a whole schema. */
export function validateSchemaRules(node: SchemaNode, field: string): readonly FieldError[] {
  return validateAt(node, field, { isRoot: true, isInsideMeta: false, noDefault: undefined });
}

/** Why a schema cannot be parsed as structural; undefined if it can. */
export function findUnsupported(nodes: Iterable<SchemaNode>): string | undefined {
  for (const { raw } of nodes) {
    const keyword = [
      "id",
      "$schema",
      "$ref",
      "patternProperties",
      "dependencies",
      "additionalItems",
      "definitions",
    ].find((key) => isPresent(getKey(raw, key)));
    if (keyword !== undefined) return `OpenAPIV3Schema '${keyword.replace("$schema", "schema")}' is not supported`;
    if (isList(getKey(raw, "items"))) return "OpenAPIV3Schema 'items' must be a schema, but is an array";
    if (getKey(raw, "x-kubernetes-preserve-unknown-fields") === false)
      return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined";
  }
  return undefined;
}

function validateAt(node: SchemaNode, field: string, context: Context): readonly FieldError[] {
  return [
    ...validateKeywords(node, field, context),
    ...validateChildren(node, field, context),
    ...(getKey(node.raw, "x-kubernetes-preserve-unknown-fields") === false
      ? [invalidValue(`${field}.x-kubernetes-preserve-unknown-fields`, false, "must be true or undefined")]
      : []),
    ...validateListRules(node, field),
    ...(isPresent(getKey(node.raw, "x-kubernetes-validations"))
      ? [forbiddenField(`${field}.x-kubernetes-validations`, "validation rules (CEL) are not supported yet")]
      : []),
  ];
}

function validateKeywords(node: SchemaNode, field: string, context: Context): readonly FieldError[] {
  const { raw, type } = node;
  const errors: FieldError[] = [];
  if (type !== "" && !types.includes(type)) errors.push(notSupportedValue(`${field}.type`, type, types));
  if (node.default !== undefined && context.noDefault !== undefined)
    errors.push(forbiddenField(`${field}.default`, `must not be set ${context.noDefault}`));
  for (const key of refusedKeywords)
    if (isPresent(getKey(raw, key))) errors.push(forbiddenField(`${field}.${key}`, `${key} is not supported`));
  if (type === "null")
    errors.push(forbiddenField(`${field}.type`, "type cannot be set to null, use nullable as an alternative"));
  if (isList(getKey(raw, "items")))
    errors.push(forbiddenField(`${field}.items`, "items must be a schema object and not an array"));
  if (context.isInsideMeta && node.isEmbeddedResource)
    errors.push(forbiddenField(`${field}.x-kubernetes-embedded-resource`, "must not be used inside of resource meta"));
  if (node.uniqueItems) {
    const because = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic";
    errors.push(forbiddenField(`${field}.uniqueItems`, because));
  }
  return errors;
}

function validateChildren(node: SchemaNode, field: string, context: Context): readonly FieldError[] {
  const { additionalProperties: additional, items, not } = node;
  const below: Context = { ...context, isRoot: false };
  const errors: FieldError[] = [];
  if (additional !== undefined && additional !== true && node.properties.size > 0)
    errors.push(
      forbiddenField(`${field}.additionalProperties`, "additionalProperties and properties are mutual exclusive"),
    );
  if (typeof additional === "object") {
    const noDefault = context.isInsideMeta
      ? "inside additionalProperties applying to object metadata"
      : context.noDefault;
    errors.push(...validateAt(additional, `${field}.additionalProperties`, { ...below, noDefault }));
  }
  for (const [name, property] of node.properties) {
    const isMeta = (context.isRoot || node.isEmbeddedResource) && ["metadata", "kind", "apiVersion"].includes(name);
    errors.push(
      ...validateAt(property, `${field}.properties[${name}]`, {
        isRoot: false,
        isInsideMeta: context.isInsideMeta || isMeta,
        noDefault: isMeta && context.isRoot ? `in top-level ${name}` : context.noDefault,
      }),
    );
  }
  if (not !== undefined) errors.push(...validateAt(not, `${field}.not`, below));
  for (const key of ["allOf", "oneOf", "anyOf"] as const)
    for (const [index, one] of node[key].entries()) errors.push(...validateAt(one, `${field}.${key}[${index}]`, below));
  if (items !== undefined) errors.push(...validateAt(items, `${field}.items`, below));
  return errors;
}

/** Whether the value differs from Go's zero value. */
function isPresent(value: Json | undefined): boolean {
  if (value === undefined || value === null || value === "") return false;
  return typeof value !== "object" || Object.keys(value).length > 0;
}
