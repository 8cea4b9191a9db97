// SPDX-License-Identifier: Apache-2.0
// The strategy of custom resources.

import { type DraftObject, ensureObject, getKey, isEqualJson, type JsonObject, numberAt } from "../../json/json.ts";
import type { ScalePaths } from "../../resources/resource.ts";
import type { Strategy } from "../../resources/strategy.ts";
import { takeOnlyStatus } from "../../resources/take-only-status.ts";
import type { CompiledSchema } from "../schema/compile-schema.ts";
import { finalizerWarnings } from "./finalizer-warnings.ts";
import { validateScaleSpec, validateScaleStatus } from "./validate-scale.ts";

/**
 * The strategy of one version. There is no ratcheting: every write is validated in full, including unchanged values
 * that a stricter schema refuses.
 */
export function createCustomStrategy(
  schema: CompiledSchema,
  hasStatus: boolean,
  scale: ScalePaths | undefined,
): Strategy {
  return {
    setDefaults: schema.setDefaults,
    validate: (object) => [
      ...schema.validateValues(object),
      ...(scale === undefined ? [] : [...validateScaleSpec(object, scale), ...validateScaleStatus(object, scale)]),
      ...schema.validateStructure(object),
    ],
    prepareForStatusUpdate: takeOnlyStatus,
    validateStatusUpdate(object, old) {
      const duplicates = schema.validateListTypes(object);
      const isNew = duplicates.length > 0 && schema.validateListTypes(old).length === 0;
      const status = getKey(object, "status");
      return [
        ...(status === undefined ? [] : schema.validateStatus(status)),
        ...(scale === undefined ? [] : validateScaleStatus(object, scale)),
        ...(isNew ? duplicates : []),
      ];
    },
    warnings: finalizerWarnings,
    allowsCreateOnUpdate: false,
    allowsUnconditionalUpdate: false,
    countsGenerations: true,
    // With a status subresource the default behaviour applies: the main endpoint neither sets nor changes the status.
    ...(hasStatus ? {} : { prepareForCreate: keepAsGiven, prepareForUpdate: countStatusChange }),
  };
}

/** Without a status subresource, the status is an ordinary field. */
function keepAsGiven(): void {
  // Nothing is dropped at creation.
}

/** Without a status subresource, a status change increments the generation too. */
function countStatusChange(object: DraftObject, old: JsonObject): void {
  if (isEqualJson(getKey(object, "status"), getKey(old, "status"))) return;
  ensureObject(object, "metadata")["generation"] = (numberAt(old, "metadata", "generation") ?? 0) + 1;
}
