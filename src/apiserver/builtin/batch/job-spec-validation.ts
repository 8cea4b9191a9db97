// SPDX-License-Identifier: Apache-2.0
import { getKey, isObject, type JsonObject } from "../../json/json.ts";
import { countOf, objectAt, textOf } from "../../json/json-fields.ts";
import { validateLabelSelector } from "../../metadata/label-rules.ts";
import { type FieldError, invalidValue, notSupportedValue, requiredValue } from "../../status/field-error.ts";
import { validateDomainPrefixedPath } from "../checks/domain-names.ts";
import { atMostBytes, nonNegative, objectOf } from "../checks/field-checks.ts";
import { isSet, pointedNumber } from "../checks/object-fields.ts";
import { isUsableSelector, validateTemplateLabels } from "../checks/pod-template-checks.ts";
import { podSpecWarnings } from "../pod-spec/pod-spec-warnings.ts";
import { validatePodTemplate } from "../pod-spec/validate-pod-spec.ts";
import { validateIndexedJob } from "./indexed-job.ts";
import { validatePodFailurePolicy } from "./pod-failure-policy.ts";
import { validateSuccessPolicy } from "./success-policy.ts";

/** Kubernetes' limit for the name of an external Job controller. */
const maxManagedByBytes = 63;

const counts = [
  "parallelism",
  "completions",
  "activeDeadlineSeconds",
  "backoffLimit",
  "ttlSecondsAfterFinished",
  "backoffLimitPerIndex",
  "maxFailedIndexes",
];

/** Validates the spec of a Job, with its selector. */
export function validateJobSpec(spec: JsonObject, field: string): readonly FieldError[] {
  const selector = objectAt(spec, "selector");
  return [
    ...validateJobTemplateSpec(spec, field),
    ...(selector === undefined
      ? [requiredValue(`${field}.selector`)]
      : validateLabelSelector(selector, `${field}.selector`)),
    ...(isUsableSelector(spec) ? validateTemplateLabels(spec, field) : []),
  ];
}

/** Validates the spec of a Job that has no selector yet. */
export function validateJobTemplateSpec(spec: JsonObject, field: string): readonly FieldError[] {
  return [
    ...counts.flatMap((name) => nonNegative(spec, field, name)),
    ...(isSet(spec, "maxFailedIndexes") && !isSet(spec, "backoffLimitPerIndex")
      ? [requiredValue(`${field}.backoffLimitPerIndex`, "when maxFailedIndexes is specified")]
      : []),
    ...validateManagedBy(spec, field),
    ...validateCompletionMode(spec, field),
    ...validatePodFailurePolicy(spec, `${field}.podFailurePolicy`),
    ...validateSuccessPolicy(spec, `${field}.successPolicy`),
    ...validateReplacementPolicy(spec, `${field}.podReplacementPolicy`),
    ...validatePodTemplate(objectOf(spec, "template"), `${field}.template`),
    ...validateRestartPolicy(spec, `${field}.template.spec.restartPolicy`),
  ];
}

function validateManagedBy(spec: JsonObject, field: string): readonly FieldError[] {
  const managedBy = getKey(spec, "managedBy");
  if (typeof managedBy !== "string") return [];
  return [
    ...validateDomainPrefixedPath(`${field}.managedBy`, managedBy),
    ...atMostBytes(managedBy, maxManagedByBytes, `${field}.managedBy`),
  ];
}

function validateCompletionMode(spec: JsonObject, field: string): readonly FieldError[] {
  const mode = getKey(spec, "completionMode") ?? null;
  const errors: FieldError[] = [];
  if (mode !== null && mode !== "NonIndexed" && mode !== "Indexed")
    errors.push(notSupportedValue(`${field}.completionMode`, mode, ["NonIndexed", "Indexed"]));
  if (mode === "Indexed") errors.push(...validateIndexedJob(spec, field));
  if (mode !== null && mode !== "NonIndexed") return errors;
  for (const name of ["backoffLimitPerIndex", "maxFailedIndexes"]) {
    const value = pointedNumber(spec, name);
    if (value !== undefined) errors.push(invalidValue(`${field}.${name}`, value, "requires indexed completion mode"));
  }
  return errors;
}

function validateReplacementPolicy(spec: JsonObject, field: string): readonly FieldError[] {
  const policy = getKey(spec, "podReplacementPolicy");
  if (typeof policy !== "string") return [];
  const supported = isObject(getKey(spec, "podFailurePolicy")) ? ["Failed"] : ["Failed", "TerminatingOrFailed"];
  return supported.includes(policy) ? [] : [notSupportedValue(field, policy, supported)];
}

function validateRestartPolicy(spec: JsonObject, field: string): readonly FieldError[] {
  const policy = textOf(spec, "template", "spec", "restartPolicy");
  if (policy === "" || policy === "Always") return [requiredValue(field, 'valid values: "OnFailure", "Never"')];
  if (policy !== "OnFailure" && policy !== "Never") return [notSupportedValue(field, policy, ["OnFailure", "Never"])];
  if (policy === "Never" || !isSet(spec, "podFailurePolicy")) return [];
  return [invalidValue(field, policy, 'only "Never" is supported when podFailurePolicy is specified')];
}

// Kubernetes warns above these numbers: the status might be too small for the indexes.
const manyCompletions = 100_000;
const manyAtOnce = 10_000;

/** Warnings about a Job spec, in a Job or a CronJob. */
export function jobSpecWarnings(spec: JsonObject, field: string): readonly string[] {
  const isHuge =
    getKey(spec, "completionMode") === "Indexed" &&
    countOf(spec, "completions") > manyCompletions &&
    countOf(spec, "parallelism") > manyAtOnce;
  const text =
    "In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail";
  return [
    ...(isHuge ? [`${field}: ${text}`] : []),
    ...podSpecWarnings(objectOf(spec, "template"), `${field}.template`),
  ];
}
