// SPDX-License-Identifier: Apache-2.0
// Validation of a Job's status. As in kube-apiserver, most rules apply only if the update changes the fields concerned.

import { getKey, isObject, type Json, type JsonObject } from "../../json/json.ts";
import { countOf, listAt, textOf } from "../../json/json-fields.ts";
import { duplicateValue, type FieldError, invalidValue, requiredValue } from "../../status/field-error.ts";
import { nonNegative, objectOf } from "../checks/field-checks.ts";
import { pointedNumber } from "../checks/object-fields.ts";
import { conditionStatus, isChanged, isConditionTrue, isFinished, wrongConditions } from "./job-conditions.ts";
import { validateIndexStatus } from "./job-index-status.ts";
import { validateStatusChange } from "./job-status-change.ts";

/** Validates the new status, and its change from the old one. */
export function validateJobStatusUpdate(object: JsonObject, old: JsonObject): readonly FieldError[] {
  const status = objectOf(object, "status");
  const counts = ["active", "succeeded", "failed", "ready", "terminating"];
  return [
    ...counts.flatMap((name) => nonNegative(status, "status", name)),
    ...validateUncounted(status),
    ...validateEnd(object, old),
    ...validateFinished(object, old),
    ...validateIndexStatus(object, old),
    ...validatePodCounts(object, old),
    ...validateSuccessCriteria(object),
    ...validateStatusChange(object, old),
  ];
}

function isTurned(object: JsonObject, old: JsonObject, type: string): boolean {
  return isConditionTrue(object, type) !== isConditionTrue(old, type);
}

function validateUncounted(status: JsonObject): readonly FieldError[] {
  const uncounted = getKey(status, "uncountedTerminatedPods");
  if (!isObject(uncounted)) return [];
  const seen = new Set<Json>();
  return ["succeeded", "failed"].flatMap((list) =>
    (listAt(uncounted, list) ?? []).flatMap((uid, index) => {
      const field = `status.uncountedTerminatedPods.${list}[${index}]`;
      if (uid === "") return [invalidValue(field, uid, "must not be empty")];
      if (seen.has(uid)) return [duplicateValue(field, uid)];
      seen.add(uid);
      return [];
    }),
  );
}

/** Validates that the terminal conditions and the times of a Job are consistent. */
function validateEnd(object: JsonObject, old: JsonObject): readonly FieldError[] {
  const status = objectOf(object, "status");
  const isComplete = isConditionTrue(object, "Complete");
  const completeTurned = isTurned(object, old, "Complete");
  const failedTurned = isTurned(object, old, "Failed");
  const timeChanged = isChanged(object, old, "completionTime");
  const completion = getKey(status, "completionTime") ?? null;
  const start = textOf(status, "startTime");
  const errors: FieldError[] = [];
  if ((completeTurned || failedTurned) && isComplete && isConditionTrue(object, "Failed"))
    errors.push(wrongConditions("cannot set Complete=True and Failed=true conditions"));
  if (
    (completeTurned || isTurned(object, old, "FailureTarget")) &&
    isComplete &&
    isConditionTrue(object, "FailureTarget")
  )
    errors.push(wrongConditions("cannot set Complete=True and FailureTarget=true conditions"));
  if ((completeTurned || timeChanged) && completion !== null && !isComplete)
    errors.push(
      invalidValue(
        "status.completionTime",
        completion,
        "cannot set completionTime when there is no Complete=True condition",
      ),
    );
  if ((completeTurned || timeChanged) && completion === null && isComplete)
    errors.push(requiredValue("status.completionTime", "completionTime is required for Complete jobs"));
  if ((timeChanged || isChanged(object, old, "startTime")) && typeof completion === "string" && start !== "")
    if (Date.parse(completion) < Date.parse(start))
      errors.push(invalidValue("status.completionTime", completion, "must be equal to or after `startTime`"));
  if ((failedTurned || isChanged(object, old, "failedIndexes")) && isConditionTrue(object, "Failed"))
    if (!isConditionTrue(object, "FailureTarget"))
      errors.push(wrongConditions("cannot set Failed=True condition without the FailureTarget=true condition"));
  if ((completeTurned || isTurned(object, old, "SuccessCriteriaMet")) && isComplete)
    if (!isConditionTrue(object, "SuccessCriteriaMet"))
      errors.push(wrongConditions("cannot set Complete=True condition without the SuccessCriteriaMet=true condition"));
  return errors;
}

/** Validates that a finished Job has a start time, no active Pods and no uncounted ones. */
function validateFinished(object: JsonObject, old: JsonObject): readonly FieldError[] {
  if (!isFinished(object)) return [];
  const status = objectOf(object, "status");
  const spec = objectOf(object, "spec");
  const isTurnedNow = !isFinished(old);
  const active = countOf(status, "active");
  const isNeverStarted = getKey(spec, "suspend") === true && countOf(spec, "completions") === 0;
  const uncounted = getKey(status, "uncountedTerminatedPods");
  const errors: FieldError[] = [];
  if ((isTurnedNow || isChanged(object, old, "active")) && active > 0)
    errors.push(invalidValue("status.active", active, "active>0 is invalid for finished job"));
  if ((isTurnedNow || isChanged(object, old, "startTime")) && !isNeverStarted && textOf(status, "startTime") === "")
    errors.push(requiredValue("status.startTime", "startTime is required for finished job"));
  if ((isTurnedNow || isChanged(object, old, "uncountedTerminatedPods")) && isObject(uncounted))
    if ((listAt(uncounted, "failed") ?? []).length + (listAt(uncounted, "succeeded") ?? []).length > 0)
      errors.push(invalidValue("status.uncountedTerminatedPods", uncounted, "must be empty for finished job"));
  return errors;
}

function validatePodCounts(object: JsonObject, old: JsonObject): readonly FieldError[] {
  const status = objectOf(object, "status");
  const terminating = pointedNumber(status, "terminating") ?? 0;
  const ready = pointedNumber(status, "ready") ?? 0;
  const errors: FieldError[] = [];
  if (isFinished(object) && (!isFinished(old) || isChanged(object, old, "terminating")) && terminating > 0)
    errors.push(invalidValue("status.terminating", terminating, "terminating>0 is invalid for finished job"));
  if ((isChanged(object, old, "ready") || isChanged(object, old, "active")) && ready > countOf(status, "active"))
    errors.push(invalidValue("status.ready", ready, "cannot set more ready pods than active"));
  return errors;
}

function validateSuccessCriteria(object: JsonObject): readonly FieldError[] {
  const isMet = isConditionTrue(object, "SuccessCriteriaMet");
  const hasPolicy = isObject(getKey(objectOf(object, "spec"), "successPolicy"));
  const errors: FieldError[] = [];
  if (isMet && isConditionTrue(object, "Failed"))
    errors.push(wrongConditions("cannot set SuccessCriteriaMet=True and Failed=true conditions"));
  if (isMet && isConditionTrue(object, "FailureTarget"))
    errors.push(wrongConditions("cannot set SuccessCriteriaMet=True and FailureTarget=true conditions"));
  if (hasPolicy && !isMet && conditionStatus(object, "Complete") === "True")
    errors.push(wrongConditions("cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True"));
  return errors;
}
