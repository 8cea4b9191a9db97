// SPDX-License-Identifier: Apache-2.0
import type { DraftObject, Json, JsonObject } from "../../json/json.ts";
import type { FieldError } from "../../status/field-error.ts";
import { cleanEmbedded, type EmbeddedOutcome, validateEmbedded } from "../value/embedded-resources.ts";
import { dropNulls, fillDefaults } from "../value/fill-defaults.ts";
import { validateListTypes } from "../value/list-duplicates.ts";
import { pruneObject } from "../value/prune.ts";
import { compileValidation } from "../value/validate-value.ts";
import { parseSchema, type SchemaNode } from "./schema-node.ts";

/** A schema compiled for whole custom resources. Its functions never throw. */
export interface CompiledSchema {
  readonly node: SchemaNode;
  /** Drops unknown fields and returns their paths, such as `spec.list[0].x`, sorted bytewise. Keeps the metadata. */
  prune(object: DraftObject): readonly string[];
  /** Normalizes the metadata of embedded resources. */
  cleanEmbedded(object: DraftObject): EmbeddedOutcome;
  /** Drops nulls that are not allowed and fills defaults. Idempotent. */
  setDefaults(object: DraftObject): void;
  /** Errors of types and values. */
  validateValues(object: JsonObject): readonly FieldError[];
  /** Errors of embedded resources, then duplicates in sets and maps. */
  validateStructure(object: JsonObject): readonly FieldError[];
  /** Duplicates in sets and maps. */
  validateListTypes(object: JsonObject): readonly FieldError[];
  /** All errors of an object, in kube-apiserver's order. */
  validate(object: JsonObject): readonly FieldError[];
  /** Errors of types and values of a status. Their messages start at the status; their fields include it. */
  validateStatus(status: Json): readonly FieldError[];
}

/**
 * Compiles a schema; the cost is proportional to its size. `maxSteps` bounds the validation of one object (see
 * ValidationBudget).
 */
export function compileSchema(schema: JsonObject, maxSteps?: number): CompiledSchema {
  const node = parseSchema(schema);
  const validateValues = compileValidation(node, maxSteps);
  const status = node.properties.get("status");
  const validateStatus = status && compileValidation(status, maxSteps);
  const validateStructure = (object: JsonObject): readonly FieldError[] => [
    ...validateEmbedded(object, node),
    ...validateListTypes(object, node),
  ];
  return {
    node,
    prune: (object) => pruneObject(object, node),
    cleanEmbedded: (object) => cleanEmbedded(object, node),
    setDefaults(object) {
      dropNulls(object, node);
      fillDefaults(object, node);
    },
    validateValues: (object) => validateValues(object),
    validateStructure,
    validateListTypes: (object) => validateListTypes(object, node),
    validate: (object) => [...validateValues(object), ...validateStructure(object)],
    validateStatus: (value) => validateStatus?.(value, "status") ?? [],
  };
}
