// SPDX-License-Identifier: Apache-2.0
import { getKey, type JsonObject } from "../../json/json.ts";
import { countOf, textOf } from "../../json/json-fields.ts";
import { dnsLabelErrors } from "../../metadata/name-rules.ts";
import type { Strategy } from "../../resources/strategy.ts";
import { type FieldError, invalidValue } from "../../status/field-error.ts";
import { isSameValue, objectOf } from "../checks/field-checks.ts";
import { podNameWarnings } from "../checks/pod-template-checks.ts";
import { keepStatus, resetStatus } from "../checks/status-checks.ts";
import { setJobDefaults } from "./job-defaults.ts";
import { generateSelector, partLabels, validateGeneratedSelector } from "./job-selector.ts";
import { jobSpecWarnings, validateJobSpec } from "./job-spec-validation.ts";
import { validateJobStatusUpdate } from "./job-status.ts";
import { validateJobUpdate } from "./job-update.ts";

function validate(object: JsonObject): readonly FieldError[] {
  return [
    ...validateGeneratedSelector(object),
    ...validateJobSpec(objectOf(object, "spec"), "spec"),
    ...validateHostnames(object),
  ];
}

/** The highest index of an Indexed Job must give a valid hostname: Pods are named by index. */
function validateHostnames(object: JsonObject): readonly FieldError[] {
  const spec = objectOf(object, "spec");
  const completions = countOf(spec, "completions");
  if (getKey(spec, "completionMode") !== "Indexed" || completions <= 0) return [];
  const name = textOf(object, "metadata", "name");
  const last = `${name}-${completions - 1}`;
  if (dnsLabelErrors(last, false).length === 0) return [];
  return [invalidValue("metadata.name", name, `will not able to create pod with invalid DNS label: ${last}`)];
}

const resetJobStatus = resetStatus({});

/** Jobs. By default, deleting a Job orphans its Pods. */
export const jobStrategy: Strategy = {
  setDefaults: setJobDefaults,
  prepareForCreate(object) {
    generateSelector(object);
    resetJobStatus(object);
  },
  prepareForUpdate(object, old) {
    partLabels(object);
    keepStatus(object, old);
  },
  validate,
  validateUpdate: validateJobUpdate,
  validateStatusUpdate: validateJobStatusUpdate,
  warnings(object, old) {
    const spec = objectOf(object, "spec");
    if (old === undefined) return [...podNameWarnings(object), ...jobSpecWarnings(spec, "spec")];
    return isSameValue(spec, objectOf(old, "spec")) ? [] : jobSpecWarnings(spec, "spec");
  },
  countsGenerations: true,
  selectableFields: (object) => ({ "status.successful": String(countOf(object, "status", "succeeded")) }),
  selectableFieldNames: ["status.successful"],
  defaultPropagation: "orphan",
};
