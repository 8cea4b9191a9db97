// SPDX-License-Identifier: Apache-2.0
// Rules for defaults: they must be valid values of their schema.

import { copyJson, isEqualJson } from "../../json/json.ts";
import { sortKeys } from "../../json/stringify-json.ts";
import { type FieldError, invalidValue } from "../../status/field-error.ts";
import { cleanEmbedded, validateEmbedded } from "../value/embedded-resources.ts";
import { pruneValue } from "../value/prune.ts";
import { compileValidation } from "../value/validate-value.ts";
import type { SchemaNode } from "./schema-node.ts";

/**
 * Errors in the defaults of a structural schema. As in kube-apiserver, defaults below additionalProperties are not
 * checked.
 */
export function validateDefaults(node: SchemaNode, field: string): readonly FieldError[] {
  const errors: FieldError[] = [...validateDefault(node, `${field}.default`)];
  if (node.items !== undefined) errors.push(...validateDefaults(node.items, `${field}.items`));
  for (const [name, property] of node.properties)
    errors.push(...validateDefaults(property, `${field}.properties[${name}]`));
  return errors;
}

function validateDefault(node: SchemaNode, field: string): readonly FieldError[] {
  if (node.default === undefined) return [];
  const errors: FieldError[] = [];
  const pruned = copyJson(node.default);
  pruneValue(pruned, node, "", []);
  if (!isEqualJson(pruned, node.default))
    errors.push(invalidValue(field, sortKeys(node.default), "must not have unknown fields"));
  const cleaned = cleanEmbedded(copyJson(node.default), node, field);
  if (cleaned.error !== undefined) return [...errors, cleaned.error];
  const inEmbedded = validateEmbedded(node.default, node, field);
  if (inEmbedded.length > 0) return [...errors, ...inEmbedded];
  return [...errors, ...compileValidation(node)(node.default, field)];
}
