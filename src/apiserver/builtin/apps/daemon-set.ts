// SPDX-License-Identifier: Apache-2.0
import {
  type DraftObject,
  ensureObject,
  getKey,
  isObject,
  type JsonObject,
  objectAt,
  textOf,
  valueAt,
} from "../../json/json.ts";
import { validateLabelSelector } from "../../metadata/label-rules.ts";
import type { Strategy } from "../../resources/strategy.ts";
import { type FieldError, invalidValue, notSupportedValue, requiredValue } from "../../status/field-error.ts";
import { immutable, nonNegative, objectOf } from "../checks/field-checks.ts";
import { atMostHundredPercent, intOrPercentNumber, validateIntOrPercent } from "../checks/int-or-percent.ts";
import {
  emptySelector,
  isUsableSelector,
  validateEndlessPods,
  validateTemplateLabels,
} from "../checks/pod-template-checks.ts";
import { shownSelector } from "../checks/shown-values.ts";
import { keepStatus, resetStatus, validateCollisionCount } from "../checks/status-checks.ts";
import { templateWarnings } from "../checks/template-warnings.ts";
import { setPodTemplateDefaults } from "../pod-spec/pod-spec-defaults.ts";
import { setIfAbsent, setIfEmpty } from "../pod-spec/pod-spec-fields.ts";
import { validatePodTemplate } from "../pod-spec/validate-pod-spec.ts";
import { shownStrategy } from "./shown-strategy.ts";
import { countTemplateGeneration, startTemplateGeneration } from "./template-generation.ts";

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
  validateUpdate: (object, old) =>
    immutable(
      shownSelector(valueAt(object, "spec", "selector")),
      shownSelector(valueAt(old, "spec", "selector")),
      "spec.selector",
    ),
  validateStatusUpdate: (object, old) => [
    ...statusCounts.flatMap((name) => nonNegative(objectOf(object, "status"), "status", name)),
    ...validateCollisionCount(object, old),
  ],
  warnings: templateWarnings,
  countsGenerations: true,
};
