// SPDX-License-Identifier: Apache-2.0
// The strategy of custom resources.

import { compareUtf8 } from "../../../model/text.ts";
import { type DraftObject, ensureObject, getKey, isEqualJson, type JsonObject } from "../../json/json.ts";
import { numberAt, textsAt } from "../../json/json-fields.ts";
import { labelKeyErrors } from "../../metadata/label-rules.ts";
import type { ScalePaths } from "../../resources/resource.ts";
import { type Strategy, takeOnlyStatus } from "../../resources/strategy.ts";
import type { CompiledSchema } from "../schema/compile-schema.ts";
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

/** Kubernetes' own finalizers, which have no domain. */
const standardFinalizers: ReadonlySet<string> = new Set(["orphan", "foregroundDeletion", "kubernetes"]);

/** Warnings of added finalizers whose names are not qualified by a domain, sorted bytewise. */
function finalizerWarnings(object: JsonObject, old: JsonObject | undefined): readonly string[] {
  const known = old === undefined ? [] : textsAt(old, "metadata", "finalizers");
  const added = new Set(textsAt(object, "metadata", "finalizers").filter((name) => !known.includes(name)));
  return [...added].toSorted(compareUtf8).flatMap((name) => {
    const say = (what: string): string => `metadata.finalizers: ${JSON.stringify(name)}: ${what}`;
    const errors = labelKeyErrors(name).map(say);
    if (name.includes("/") || standardFinalizers.has(name)) return errors;
    const form = name.includes(".") ? " including a path (/)" : "";
    const advice = `prefer a domain-qualified finalizer name${form} to avoid accidental conflicts with other finalizer writers`;
    return [...errors, say(advice)];
  });
}
