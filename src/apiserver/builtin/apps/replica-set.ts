// SPDX-License-Identifier: Apache-2.0

import { type DraftObject, ensureObject, type JsonObject } from "../../json/json.ts";
import { valueAt } from "../../json/json-fields.ts";
import type { Strategy } from "../../resources/strategy.ts";
import type { FieldError } from "../../status/field-error.ts";
import { immutable, nonNegative, objectOf } from "../checks/field-checks.ts";
import { shownSelector } from "../checks/go-values-in-messages.ts";
import { setIfAbsent } from "../checks/object-fields.ts";
import { podNameWarnings, templateWarnings } from "../checks/pod-template-checks.ts";
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
  validateUpdate: (object, old) =>
    immutable(
      shownSelector(valueAt(object, "spec", "selector")),
      shownSelector(valueAt(old, "spec", "selector")),
      "spec.selector",
    ),
  validateStatusUpdate: (object) => validateReplicaCounts(object, statusCounts),
  warnings: (object, old) => [...(old === undefined ? podNameWarnings(object) : []), ...templateWarnings(object, old)],
  countsGenerations: true,
};
