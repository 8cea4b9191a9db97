// SPDX-License-Identifier: Apache-2.0
import { type DraftObject, ensureObject, getKey, isObject, type JsonObject } from "../../json/json.ts";
import { textOf } from "../../json/json-fields.ts";
import type { Strategy } from "../../resources/strategy.ts";
import { type FieldError, invalidValue, notSupportedValue, requiredValue } from "../../status/field-error.ts";
import { isSameValue, nonNegative, objectOf } from "../checks/field-checks.ts";
import { shownSelector } from "../checks/go-values-in-messages.ts";
import { setIfAbsent, setIfEmpty } from "../checks/object-fields.ts";
import { podNameWarnings } from "../checks/pod-template-checks.ts";
import { keepStatus, resetStatus } from "../checks/status-checks.ts";
import { validateChoice } from "../pod-spec/text-rules.ts";
import { parseSchedule } from "./cron-schedule.ts";
import { setJobTemplateDefaults } from "./job-defaults.ts";
import { jobSpecWarnings, validateJobTemplateSpec } from "./job-spec-validation.ts";
import { validateTimeZone } from "./time-zone.ts";

/** The name of a Job is that of its CronJob plus 11 characters, and has at most 63. */
const maxNameLength = 52;

function setDefaults(object: DraftObject): void {
  const spec = ensureObject(object, "spec");
  setIfEmpty(spec, "concurrencyPolicy", "Allow");
  setIfAbsent(spec, "suspend", false);
  setIfAbsent(spec, "successfulJobsHistoryLimit", 3);
  setIfAbsent(spec, "failedJobsHistoryLimit", 1);
  setJobTemplateDefaults(ensureObject(ensureObject(spec, "jobTemplate"), "spec"));
}

function validate(object: JsonObject): readonly FieldError[] {
  const spec = objectOf(object, "spec");
  const name = textOf(object, "metadata", "name");
  return [
    ...validateSchedule(textOf(spec, "schedule")),
    ...nonNegative(spec, "spec", "startingDeadlineSeconds"),
    ...validateTimeZone(getKey(spec, "timeZone"), "spec.timeZone"),
    ...validateChoice("spec.concurrencyPolicy", textOf(spec, "concurrencyPolicy"), ["Allow", "Forbid", "Replace"]),
    ...validateTemplate(objectOf(objectOf(spec, "jobTemplate"), "spec")),
    ...nonNegative(spec, "spec", "successfulJobsHistoryLimit"),
    ...nonNegative(spec, "spec", "failedJobsHistoryLimit"),
    ...(name.length > maxNameLength
      ? [invalidValue("metadata.name", name, `must be no more than ${maxNameLength} characters`)]
      : []),
  ];
}

function validateSchedule(schedule: string): readonly FieldError[] {
  const field = "spec.schedule";
  if (schedule === "") return [requiredValue(field)];
  const parsed = parseSchedule(schedule);
  return [
    ...(typeof parsed === "string" ? [invalidValue(field, schedule, parsed)] : []),
    ...(schedule.includes("TZ")
      ? [invalidValue(field, schedule, "cannot use TZ or CRON_TZ in schedule, use timeZone field instead")]
      : []),
  ];
}

function validateTemplate(spec: JsonObject): readonly FieldError[] {
  const field = "spec.jobTemplate.spec";
  const selector = getKey(spec, "selector");
  return [
    ...validateJobTemplateSpec(spec, field),
    ...(isObject(selector)
      ? [invalidValue(`${field}.selector`, shownSelector(selector), "`selector` will be auto-generated")]
      : []),
    ...(getKey(spec, "manualSelector") === true
      ? [notSupportedValue(`${field}.manualSelector`, true, ["nil", "false"])]
      : []),
  ];
}

function warnings(object: JsonObject, old: JsonObject | undefined): readonly string[] {
  const spec = objectOf(object, "spec");
  const isSame = old !== undefined && isSameValue(spec, objectOf(old, "spec"));
  return [
    ...(old === undefined ? podNameWarnings(object) : []),
    ...(isSame ? [] : jobSpecWarnings(objectOf(objectOf(spec, "jobTemplate"), "spec"), "spec.jobTemplate.spec")),
  ];
}

/** CronJobs. */
export const cronJobStrategy: Strategy = {
  setDefaults,
  prepareForCreate: resetStatus({}),
  prepareForUpdate: keepStatus,
  validate,
  warnings,
  countsGenerations: true,
};
