// SPDX-License-Identifier: Apache-2.0
// Rules of structural schemas: every field is defined once, with its type, outside allOf, anyOf, oneOf and not.
import { compareUtf8 } from "../../../model/text.ts";
import { isEqualJson, type Json } from "../../json/json.ts";
import { type FieldError, forbiddenField, invalidValue, requiredValue, toSentence } from "../../status/field-error.ts";
import { compilePattern } from "../value/pattern.ts";
import { isSet, schemaFields } from "./go-schema.ts";
import type { SchemaNode } from "./schema-node.ts";
import { validateCompleteness } from "./structural-completeness.ts";

type Level = "root" | "item" | "field";

/** The only types allowed in alternatives: those of an int-or-string. */
const intOrString: Json = [{ type: "integer" }, { type: "string" }];

/** Errors that make a schema non-structural, sorted bytewise by message. */
export function validateStructural(node: SchemaNode, field: string): readonly FieldError[] {
  const errors = [...validateNode(node, "root", field), ...validateCompleteness(node, field)];
  return errors.toSorted((a, b) => compareUtf8(toSentence(a), toSentence(b)));
}

function validateNode(node: SchemaNode, level: Level, field: string): readonly FieldError[] {
  const { items, additionalProperties: additional } = node;
  const errors: FieldError[] = [];
  if (node.type === "array" && items === undefined) errors.push(requiredValue(`${field}.items`, "must be specified"));
  if (items !== undefined) errors.push(...validateNode(items, "item", `${field}.items`));
  for (const [name, property] of node.properties)
    errors.push(...validateNode(property, "field", `${field}.properties[${name}]`));
  if (additional !== undefined && level === "root")
    errors.push(forbiddenField(`${field}.additionalProperties`, "must not be used at the root"));
  if (typeof additional === "object")
    errors.push(...validateNode(additional, "field", `${field}.additionalProperties`));
  errors.push(...validateExtensions(node, field));
  errors.push(...validateJunctors(node, isEqualJson(node.raw["anyOf"], intOrString), field));
  errors.push(...validateType(node, level, field));
  if (level === "root" || node.isEmbeddedResource) errors.push(...validateTypeMeta(node, field));
  const metadata = node.properties.get("metadata");
  if (metadata !== undefined && level === "root" && !isPlainMetadata(metadata)) {
    const because = "must not specify anything other than name and generateName, but metadata is implicitly specified";
    errors.push(forbiddenField(`${field}.properties[metadata]`, because));
  }
  if (node.isEmbeddedResource && !node.preservesUnknownFields && node.properties.size === 0) {
    const because =
      "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields";
    errors.push(requiredValue(`${field}.properties`, because));
  }
  return errors;
}

function validateExtensions(node: SchemaNode, field: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const because = "must be false if x-kubernetes-int-or-string is true";
  if (node.isIntOrString && node.preservesUnknownFields)
    errors.push(invalidValue(`${field}.x-kubernetes-preserve-unknown-fields`, true, because));
  if (node.isIntOrString && node.isEmbeddedResource)
    errors.push(invalidValue(`${field}.x-kubernetes-embedded-resource`, true, because));
  if (node.isEmbeddedResource && node.additionalProperties !== undefined)
    errors.push(
      forbiddenField(`${field}.additionalProperties`, "must not be used if x-kubernetes-embedded-resource is set"),
    );
  return errors;
}

function validateType(node: SchemaNode, level: Level, field: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (node.isEmbeddedResource && node.type !== "object") {
    const because = "must be object if x-kubernetes-embedded-resource is true";
    errors.push(
      node.type === "" ? requiredValue(`${field}.type`, because) : invalidValue(`${field}.type`, node.type, because),
    );
  } else if (node.type === "" && !node.isIntOrString && !node.preservesUnknownFields) {
    const where = { root: "at the root", item: "for specified array items", field: "for specified object fields" };
    errors.push(requiredValue(`${field}.type`, `must not be empty ${where[level]}`));
  }
  if (level === "root" && node.type !== "" && node.type !== "object")
    errors.push(invalidValue(`${field}.type`, node.type, "must be object at the root"));
  return errors;
}

function validateTypeMeta(node: SchemaNode, field: string): readonly FieldError[] {
  return (["kind", "apiVersion", "metadata"] as const).flatMap((name) => {
    const property = node.properties.get(name);
    const type = name === "metadata" ? "object" : "string";
    if (property === undefined || property.type === type) return [];
    return [invalidValue(`${field}.properties[${name}].type`, property.type, `must be ${type}`)];
  });
}

/** Whether metadata has only a type, a default (which another rule refuses) and rules for name and generateName. */
function isPlainMetadata(node: SchemaNode): boolean {
  const hasOther = schemaFields.some(
    (one) => !["Type", "Default", "Properties"].includes(one[0]) && isSet(node.raw, one),
  );
  return !hasOther && [...node.properties.keys()].every((name) => name === "name" || name === "generateName");
}

/** Errors in the alternatives and the pattern of a schema. */
function validateJunctors(node: SchemaNode, skipsAnyOf: boolean, field: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (!skipsAnyOf)
    for (const [index, one] of node.anyOf.entries())
      errors.push(...validateNested(one, false, `${field}.anyOf[${index}]`));
  for (const [index, one] of node.allOf.entries()) {
    const skipsItsAnyOf = index === 0 && isEqualJson(one.raw["anyOf"], intOrString);
    errors.push(...validateNested(one, skipsItsAnyOf, `${field}.allOf[${index}]`));
  }
  for (const [index, one] of node.oneOf.entries())
    errors.push(...validateNested(one, false, `${field}.oneOf[${index}]`));
  if (node.not !== undefined) errors.push(...validateNested(node.not, false, `${field}.not`));
  if (node.pattern !== "") {
    const pattern = compilePattern(node.pattern);
    if (typeof pattern === "string")
      errors.push(
        invalidValue(`${field}.pattern`, node.pattern, `must be a valid regular expression, but isn't: ${pattern}`),
      );
  }
  return errors;
}

/** Keywords that an alternative must not have, each with its message. */
const forbiddenInside: readonly (readonly [key: string, isPresent: (node: SchemaNode) => boolean, because: string])[] =
  [
    ["type", (node) => node.type !== "", "must be empty"],
    ["additionalProperties", (node) => isOpen(node.additionalProperties), "must be undefined"],
    ["default", (node) => node.default !== undefined, "must be undefined"],
    ["title", (node) => hasText(node.raw["title"]), "must be empty"],
    ["description", (node) => hasText(node.raw["description"]), "must be empty"],
    ["nullable", (node) => node.nullable, "must be false"],
    ["x-kubernetes-preserve-unknown-fields", (node) => node.preservesUnknownFields, "must be false"],
    ["x-kubernetes-embedded-resource", (node) => node.isEmbeddedResource, "must be false"],
    ["x-kubernetes-int-or-string", (node) => node.isIntOrString, "must be false"],
    ["x-kubernetes-list-map-keys", (node) => node.listMapKeys.length > 0, "must be empty"],
    ["x-kubernetes-list-type", (node) => node.listType !== undefined, "must be undefined"],
    ["x-kubernetes-map-type", (node) => node.mapType !== undefined, "must be undefined"],
  ];

function validateNested(node: SchemaNode, skipsAnyOf: boolean, field: string): readonly FieldError[] {
  const errors: FieldError[] = [...validateJunctors(node, skipsAnyOf, field)];
  if (node.items !== undefined) errors.push(...validateNested(node.items, false, `${field}.items`));
  for (const [name, property] of node.properties)
    errors.push(...validateNested(property, false, `${field}.properties[${name}]`));
  for (const [key, isPresent, because] of forbiddenInside)
    if (isPresent(node)) errors.push(forbiddenField(`${field}.${key}`, `${because} to be structural`));
  if (node.properties.has("metadata"))
    errors.push(forbiddenField(`${field}.properties[metadata]`, "must not be specified in a nested context"));
  return errors;
}

function hasText(value: Json | undefined): boolean {
  return typeof value === "string" && value !== "";
}

function isOpen(additional: SchemaNode["additionalProperties"]): boolean {
  return additional !== undefined && additional !== false;
}
