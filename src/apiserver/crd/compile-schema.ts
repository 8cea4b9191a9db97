// SPDX-License-Identifier: Apache-2.0
import type { DraftObject, Json, JsonObject } from "../json/json.ts";
import type { FieldError } from "../status/field-error.ts";
import { cleanEmbedded, type EmbeddedOutcome, validateEmbedded } from "./embedded-resources.ts";
import { dropNulls, fillDefaults } from "./fill-defaults.ts";
import { validateListTypes } from "./list-types.ts";
import { pruneObject } from "./prune.ts";
import { parseSchema, type SchemaNode } from "./schema-node.ts";
import { compileValidation } from "./validate-value.ts";

/** A schema made ready to work on whole custom resources. Nothing in it throws, whatever the schema and the object are. */
export interface CompiledSchema {
  readonly node: SchemaNode;
  /** Drops the fields that the schema does not know and gives their paths, `spec.list[0].x`, in bytewise order. Metadata is not looked at. */
  prune(object: DraftObject): readonly string[];
  /** Brings the metadata of embedded resources to its canonical form. */
  cleanEmbedded(object: DraftObject): EmbeddedOutcome;
  /** Drops nulls that stand for nothing and fills defaults. Doing it twice is doing it once. */
  setDefaults(object: DraftObject): void;
  /** Wrong types and values. */
  validateValues(object: JsonObject): readonly FieldError[];
  /** Mistakes in embedded resources, then duplicates in sets and maps: what does not follow from types and values. */
  validateStructure(object: JsonObject): readonly FieldError[];
  /** Duplicates in sets and maps. */
  validateListTypes(object: JsonObject): readonly FieldError[];
  /** All mistakes of a whole object, in the real server's order. */
  validate(object: JsonObject): readonly FieldError[];
  /** Wrong types and values of a status alone: their sentences begin at the status, their fields do not. */
  validateStatus(status: Json): readonly FieldError[];
}

/** Compiles a schema; the work is in proportion to its size. `maxSteps` bounds the work of validating one object (see WorkBudget). */
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
