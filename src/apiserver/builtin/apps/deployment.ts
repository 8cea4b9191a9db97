// SPDX-License-Identifier: Apache-2.0
import {
  copyJson,
  type DraftObject,
  deleteKey,
  ensureObject,
  getKey,
  isObject,
  type JsonObject,
  setKey,
} from "../../json/json.ts";
import { countOf, textOf, valueAt } from "../../json/json-fields.ts";
import type { Strategy } from "../../resources/strategy.ts";
import { type FieldError, forbiddenField, invalidValue, notSupportedValue } from "../../status/field-error.ts";
import { nonNegative, objectOf } from "../checks/field-checks.ts";
import { shownStrategy } from "../checks/go-values-in-messages.ts";
import { atMostHundredPercent, intOrPercentNumber, validateIntOrPercent } from "../checks/int-or-percent.ts";
import { pointedNumber, setIfAbsent, setIfEmpty } from "../checks/object-fields.ts";
import { validateSelectorUnchanged, workloadWarnings } from "../checks/pod-template-checks.ts";
import {
  countChangeAt,
  keepStatus,
  resetStatus,
  validateCollisionCount,
  validateReplicaCounts,
} from "../checks/status-checks.ts";
import { setPodTemplateDefaults } from "../pod-spec/pod-spec-defaults.ts";
import { validateReplicaTemplate } from "./replica-template.ts";

function setDefaults(object: DraftObject): void {
  const spec = ensureObject(object, "spec");
  setPodTemplateDefaults(ensureObject(spec, "template"));
  setIfAbsent(spec, "replicas", 1);
  const strategy = ensureObject(spec, "strategy");
  setIfEmpty(strategy, "type", "RollingUpdate");
  if (textOf(strategy, "type") === "RollingUpdate") {
    const rollingUpdate = ensureObject(strategy, "rollingUpdate");
    setIfAbsent(rollingUpdate, "maxUnavailable", "25%");
    setIfAbsent(rollingUpdate, "maxSurge", "25%");
  }
  setIfAbsent(spec, "revisionHistoryLimit", 10);
  setIfAbsent(spec, "progressDeadlineSeconds", 600);
}

function validate(object: JsonObject): readonly FieldError[] {
  const spec = objectOf(object, "spec");
  return [
    ...nonNegative(spec, "spec", "replicas"),
    ...validateReplicaTemplate(spec),
    ...validateRollout(objectOf(spec, "strategy")),
    ...nonNegative(spec, "spec", "minReadySeconds"),
    ...nonNegative(spec, "spec", "revisionHistoryLimit"),
    ...validateDeadline(spec),
  ];
}

function validateDeadline(spec: JsonObject): readonly FieldError[] {
  const deadline = pointedNumber(spec, "progressDeadlineSeconds");
  if (deadline === undefined) return [];
  const field = "spec.progressDeadlineSeconds";
  return [
    ...nonNegative(spec, "spec", "progressDeadlineSeconds"),
    ...(deadline > countOf(spec, "minReadySeconds")
      ? []
      : [invalidValue(field, deadline, "must be greater than minReadySeconds")]),
  ];
}

function validateRollout(strategy: JsonObject): readonly FieldError[] {
  const rollingUpdate = getKey(strategy, "rollingUpdate");
  switch (textOf(strategy, "type")) {
    case "Recreate":
      return isObject(rollingUpdate)
        ? [forbiddenField("spec.strategy.rollingUpdate", "may not be specified when strategy `type` is 'Recreate'")]
        : [];
    case "RollingUpdate":
      return validateRollingUpdate(isObject(rollingUpdate) ? rollingUpdate : {});
    default:
      return [notSupportedValue("spec.strategy", shownStrategy(strategy), ["Recreate", "RollingUpdate"])];
  }
}

function validateRollingUpdate(rollingUpdate: JsonObject): readonly FieldError[] {
  const field = "spec.strategy.rollingUpdate";
  const unavailable = getKey(rollingUpdate, "maxUnavailable");
  const surge = getKey(rollingUpdate, "maxSurge");
  const isStuck = intOrPercentNumber(unavailable) === 0 && intOrPercentNumber(surge) === 0;
  return [
    ...validateIntOrPercent(unavailable, `${field}.maxUnavailable`),
    ...validateIntOrPercent(surge, `${field}.maxSurge`),
    ...(isStuck
      ? [invalidValue(`${field}.maxUnavailable`, unavailable ?? 0, "may not be 0 when `maxSurge` is 0")]
      : []),
    ...atMostHundredPercent(unavailable, `${field}.maxUnavailable`),
  ];
}

const statusCounts = {
  counts: [
    "observedGeneration",
    "replicas",
    "updatedReplicas",
    "readyReplicas",
    "availableReplicas",
    "unavailableReplicas",
    "terminatingReplicas",
    "collisionCount",
  ],
  partsOfReplicas: ["updatedReplicas", "readyReplicas", "availableReplicas"],
  readyName: "readyReplicas",
};

/** Deployments. A change of annotations also increments the generation: they are copied to the ReplicaSets. */
export const deploymentStrategy: Strategy = {
  setDefaults,
  prepareForCreate: resetStatus({}),
  prepareForUpdate(object, old) {
    keepStatus(object, old);
    countChangeAt(object, old, "metadata", "annotations");
  },
  validate,
  validateUpdate: validateSelectorUnchanged,
  /** A status update keeps the labels, unlike for other kinds. */
  prepareForStatusUpdate(object, old) {
    setKey(object, "spec", copyJson(getKey(old, "spec") ?? {}));
    const labels = valueAt(old, "metadata", "labels");
    const metadata = ensureObject(object, "metadata");
    if (labels === undefined) deleteKey(metadata, "labels");
    else metadata["labels"] = copyJson(labels);
  },
  validateStatusUpdate: (object, old) => [
    ...validateReplicaCounts(object, statusCounts),
    ...validateCollisionCount(object, old),
  ],
  warnings: workloadWarnings,
  countsGenerations: true,
};
