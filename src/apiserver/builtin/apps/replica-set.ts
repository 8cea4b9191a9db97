// SPDX-License-Identifier: Apache-2.0
import { type DraftObject, ensureObject, type JsonObject } from "../../json/json.ts";
import type { Strategy } from "../../resources/strategy.ts";
import type { FieldError } from "../../status/field-error.ts";
import { nonNegative, objectOf } from "../checks/field-checks.ts";
import { setIfAbsent } from "../checks/object-fields.ts";
import { validateSelectorUnchanged, workloadWarnings } from "../checks/pod-template-checks.ts";
import { keepStatus, resetStatus, validateReplicaCounts } from "../checks/status-checks.ts";
import { setPodTemplateDefaults } from "../pod-spec/pod-spec-defaults.ts";
import { validateReplicaTemplate } from "./replica-template.ts";

function setDefaults(object: DraftObject): void {
  const spec = ensureObject(object, "spec");
  setPodTemplateDefaults(ensureObject(spec, "template"));
  setIfAbsent(spec, "replicas", 1);
}

function validate(object: JsonObject): readonly FieldError[] {
  const spec = objectOf(object, "spec");
  return [
    ...nonNegative(spec, "spec", "replicas"),
    ...nonNegative(spec, "spec", "minReadySeconds"),
    ...validateReplicaTemplate(spec),
  ];
}

const statusCounts = {
  counts: [
    "replicas",
    "fullyLabeledReplicas",
    "readyReplicas",
    "availableReplicas",
    "observedGeneration",
    "terminatingReplicas",
  ],
  partsOfReplicas: ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"],
  readyName: "readyReplicas",
};

/** ReplicaSets. */
export const replicaSetStrategy: Strategy = {
  setDefaults,
  prepareForCreate: resetStatus({ replicas: 0 }),
  prepareForUpdate: keepStatus,
  validate,
  validateUpdate: validateSelectorUnchanged,
  validateStatusUpdate: (object) => validateReplicaCounts(object, statusCounts),
  warnings: workloadWarnings,
  countsGenerations: true,
};
