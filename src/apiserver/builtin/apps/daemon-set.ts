// SPDX-License-Identifier: Apache-2.0
import { type DraftObject, ensureObject, getKey, isObject, type JsonObject } from "../../json/json.ts";
import { objectAt, textAt, textOf, valueAt } from "../../json/json-fields.ts";
import { validateLabelSelector } from "../../metadata/label-rules.ts";
import type { Strategy } from "../../resources/strategy.ts";
import { type FieldError, invalidValue, notSupportedValue, requiredValue } from "../../status/field-error.ts";
import { isSameValue, nonNegative, objectOf } from "../checks/field-checks.ts";
import { shownStrategy } from "../checks/go-values-in-messages.ts";
import { atMostHundredPercent, intOrPercentNumber, validateIntOrPercent } from "../checks/int-or-percent.ts";
import { setIfAbsent, setIfEmpty } from "../checks/object-fields.ts";
import {
  emptySelector,
  isUsableSelector,
  templateWarnings,
  validateEndlessPods,
  validateSelectorUnchanged,
  validateTemplateLabels,
} from "../checks/pod-template-checks.ts";
import { keepStatus, resetStatus, validateCollisionCount } from "../checks/status-checks.ts";
import { setPodTemplateDefaults } from "../pod-spec/pod-spec-defaults.ts";
import { validatePodTemplate } from "../pod-spec/validate-pod-spec.ts";

function setDefaults(object: DraftObject): void {
  const spec = ensureObject(object, "spec");
  setPodTemplateDefaults(ensureObject(spec, "template"));
  const strategy = ensureObject(spec, "updateStrategy");
  setIfEmpty(strategy, "type", "RollingUpdate");
  if (textOf(strategy, "type") === "RollingUpdate") {
    const rollingUpdate = ensureObject(strategy, "rollingUpdate");
    setIfAbsent(rollingUpdate, "maxUnavailable", 1);
    setIfAbsent(rollingUpdate, "maxSurge", 0);
  }
  setIfAbsent(spec, "revisionHistoryLimit", 10);
}

function validate(object: JsonObject): readonly FieldError[] {
  const spec = objectOf(object, "spec");
  const selector = objectAt(spec, "selector");
  return [
    ...validateLabelSelector(selector, "spec.selector"),
    ...(isUsableSelector(spec) ? validateTemplateLabels(spec, "spec") : []),
    ...emptySelector(selector, "spec", "daemonset"),
    ...validatePodTemplate(objectOf(spec, "template"), "spec.template"),
    ...validateEndlessPods(spec, "spec", "DaemonSet"),
    ...nonNegative(spec, "spec", "minReadySeconds"),
    ...validateUpdateStrategy(objectOf(spec, "updateStrategy")),
    ...nonNegative(spec, "spec", "revisionHistoryLimit"),
  ];
}

function validateUpdateStrategy(strategy: JsonObject): readonly FieldError[] {
  const rollingUpdate = getKey(strategy, "rollingUpdate");
  switch (textOf(strategy, "type")) {
    case "OnDelete":
      return [];
    case "RollingUpdate":
      return isObject(rollingUpdate)
        ? validateRollingUpdate(rollingUpdate)
        : [requiredValue("spec.updateStrategy.rollingUpdate")];
    default:
      return [notSupportedValue("spec.updateStrategy", shownStrategy(strategy), ["RollingUpdate", "OnDelete"])];
  }
}

function validateRollingUpdate(rollingUpdate: JsonObject): readonly FieldError[] {
  const unavailableField = "spec.updateStrategy.rollingUpdate.maxUnavailable";
  const surgeField = "spec.updateStrategy.rollingUpdate.maxSurge";
  const unavailable = getKey(rollingUpdate, "maxUnavailable");
  const surge = getKey(rollingUpdate, "maxSurge");
  const errors = [
    ...validateIntOrPercent(unavailable, unavailableField),
    ...validateIntOrPercent(surge, surgeField),
    ...atMostHundredPercent(unavailable, unavailableField),
    ...atMostHundredPercent(surge, surgeField),
  ];
  const hasUnavailable = intOrPercentNumber(unavailable) !== 0;
  const hasSurge = intOrPercentNumber(surge) !== 0;
  if (hasUnavailable && hasSurge)
    errors.push(invalidValue(surgeField, surge ?? 0, "may not be set when maxUnavailable is non-zero"));
  if (!hasUnavailable && !hasSurge) errors.push(requiredValue(unavailableField, "cannot be 0 when maxSurge is 0"));
  return errors;
}

const resetDaemonStatus = resetStatus({
  currentNumberScheduled: 0,
  numberMisscheduled: 0,
  desiredNumberScheduled: 0,
  numberReady: 0,
});

const statusCounts = [
  "currentNumberScheduled",
  "numberMisscheduled",
  "desiredNumberScheduled",
  "numberReady",
  "observedGeneration",
  "updatedNumberScheduled",
  "numberAvailable",
  "numberUnavailable",
  "collisionCount",
];

/** DaemonSets. */
export const daemonSetStrategy: Strategy = {
  setDefaults,
  prepareForCreate(object) {
    resetDaemonStatus(object);
    startTemplateGeneration(object);
  },
  prepareForUpdate(object, old) {
    keepStatus(object, old);
    countTemplateGeneration(object, old);
  },
  validate,
  validateUpdate: validateSelectorUnchanged,
  validateStatusUpdate: (object, old) => [
    ...statusCounts.flatMap((name) => nonNegative(objectOf(object, "status"), "status", name)),
    ...validateCollisionCount(object, old),
  ],
  warnings: templateWarnings,
  countsGenerations: true,
};

const annotation = "deprecated.daemonset.template.generation";

/** Starts the template generation of a new DaemonSet at 1, or at the client's higher number. */
function startTemplateGeneration(object: DraftObject): void {
  const given = templateGeneration(object);
  writeGeneration(object, given < 1n ? 1n : given);
}

/** Sets the template generation: that of `old`, plus one if the template changed. The client's number is ignored. */
function countTemplateGeneration(object: DraftObject, old: JsonObject): void {
  const isSame = isSameValue(valueAt(object, "spec", "template"), valueAt(old, "spec", "template"));
  writeGeneration(object, templateGeneration(old) + (isSame ? 0n : 1n));
}

/** Zero if the annotation is absent or not an integer. */
function templateGeneration(object: JsonObject): bigint {
  const text = textAt(object, "metadata", "annotations", annotation) ?? "";
  return /^[+-]?\d{1,18}$/.test(text) ? BigInt(text.replace("+", "")) : 0n;
}

function writeGeneration(object: DraftObject, generation: bigint): void {
  ensureObject(ensureObject(object, "metadata"), "annotations")[annotation] = String(generation);
}
