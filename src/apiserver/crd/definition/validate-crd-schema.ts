// SPDX-License-Identifier: Apache-2.0
import type { JsonObject } from "../../json/json.ts";
import { type FieldError, forbiddenField, invalidValue } from "../../status/field-error.ts";
import { validateDefaults } from "../schema/default-rules.ts";
import { isSet, schemaFields, toGoSchema } from "../schema/go-schema.ts";
import { isTooDeep, maxSchemaDepth, parseSchema, walkSchema } from "../schema/schema-node.ts";
import { findUnsupported, validateSchemaRules } from "../schema/schema-rules.ts";
import { validateStructural } from "../schema/structural-rules.ts";

/**
 * Fields allowed at the root of a schema with a status subresource, by Go's names. The status is validated by its own
 * schema, so other keywords at the root would not apply to it.
 */
const rootFields: readonly string[] = (
  "Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf " +
  "Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations"
).split(" ");

/** Errors in the schema of a version. `field` is its location in messages: `spec.validation.openAPIV3Schema`. */
export function validateCrdSchema(schema: JsonObject, hasStatus: boolean, field: string): readonly FieldError[] {
  if (isTooDeep(schema))
    return [forbiddenField(field, `schemas that are nested deeper than ${maxSchemaDepth} levels are not supported`)];
  const node = parseSchema(schema);
  const unsupported = findUnsupported(walkSchema(node));
  const structural = unsupported === undefined ? validateStructural(node, field) : [];
  const isStructural = unsupported === undefined && structural.length === 0;
  const errors = [
    ...(hasStatus ? validateRoot(schema, field) : []),
    ...(node.nullable ? [forbiddenField(`${field}.nullable`, "nullable cannot be true at the root")] : []),
    ...structural,
    ...(isStructural ? validateDefaults({ ...node, isEmbeddedResource: true }, field) : []),
    ...validateSchemaRules(node, field),
  ];
  return errors.length === 0 && unsupported !== undefined ? [invalidValue(field, "", unsupported)] : errors;
}

/** The first field, in the order of Go's struct, that is not allowed at the root. */
function validateRoot(schema: JsonObject, field: string): readonly FieldError[] {
  for (const one of schemaFields) {
    const [goName] = one;
    if (!isSet(schema, one) || (goName === "Type" && schema["type"] === "object")) continue;
    if (goName === "Type") {
      const because =
        'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
      return [invalidValue(`${field}.type`, schema["type"] ?? "", because)];
    }
    if (rootFields.includes(goName)) continue;
    const because = `only [${rootFields.join(" ")}] fields are allowed at the root of the schema if the status subresource is enabled`;
    return [invalidValue(field, toGoSchema(schema), because)];
  }
  return [];
}
