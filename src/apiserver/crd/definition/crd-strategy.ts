// SPDX-License-Identifier: Apache-2.0
import { type JsonObject } from "../../json/json.ts";
import { objectAt } from "../../json/json-fields.ts";
import type { Strategy } from "../../resources/strategy.ts";
import { isTooDeep, parseSchema, walkSchema } from "../schema/schema-node.ts";
import { isKnownFormat } from "../value/text-formats.ts";
import { namesOf, versionsOf } from "./crd-accessors.ts";
import { prepareCrdForCreate, prepareCrdForUpdate, setCrdDefaults } from "./crd-defaults.ts";
import { validateCrd, validateCrdUpdate } from "./validate-crd.ts";
import { validateNames } from "./validate-crd-names.ts";

/** The strategy of CustomResourceDefinitions themselves. The CRD controller establishes and deletes them. */
export const crdStrategy: Strategy = {
  setDefaults: setCrdDefaults,
  prepareForCreate: prepareCrdForCreate,
  prepareForUpdate: prepareCrdForUpdate,
  validate: validateCrd,
  validateUpdate: validateCrdUpdate,
  validateStatusUpdate: (crd) =>
    validateNames(namesOf(objectAt(crd, "status", "acceptedNames")), "status.acceptedNames"),
  warnings: crdWarnings,
  allowsCreateOnUpdate: false,
  allowsUnconditionalUpdate: false,
  countsGenerations: true,
};

/** Warnings of unrecognized formats that the previous definition did not have. */
export function crdWarnings(crd: JsonObject, old: JsonObject | undefined): readonly string[] {
  const known = new Set(old === undefined ? [] : strangeFormats(old));
  return strangeFormats(crd)
    .filter((format) => !known.has(format))
    .map((format) => `unrecognized format ${JSON.stringify(format)}`);
}

/** In the order in which kube-apiserver walks a schema: lists, alternatives, then properties. */
function strangeFormats(crd: JsonObject): readonly string[] {
  return versionsOf(crd).flatMap(({ schema }) => {
    if (schema === undefined || isTooDeep(schema)) return [];
    return [...walkSchema(parseSchema(schema))]
      .filter(({ type, format }) => format !== "" && !isKnownFormat(type, format))
      .map(({ format }) => format);
  });
}
