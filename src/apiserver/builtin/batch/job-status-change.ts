// SPDX-License-Identifier: Apache-2.0
// Changes that an update of a Job's status must not make.

import { getKey, type JsonObject } from "../../json/json.ts";
import { countOf } from "../../json/json-fields.ts";
import { type FieldError, invalidValue } from "../../status/field-error.ts";
import { isSameValue, objectOf } from "../checks/field-checks.ts";
import { pointedNumber } from "../checks/object-fields.ts";
import { conditionStatus, isChanged, isConditionTrue, wrongConditions } from "./job-conditions.ts";

/**
 * Validates that terminal conditions stay true, counters do not decrease and set times do not change. Suspended Jobs
 * may change the start time; elastic Indexed Jobs may decrease `succeeded`.
 */
export function validateStatusChange(object: JsonObject, old: JsonObject): readonly FieldError[] {
  return [
    ...["Failed", "Complete", "FailureTarget"]
      .filter((type) => isConditionTrue(old, type) && !isConditionTrue(object, type))
      .map((type) => wrongConditions(`cannot disable the terminal ${type}=True condition`)),
    ...validateCounters(object, old),
    ...validateTimes(object, old),
    ...validateCriteria(object, old),
  ];
}

function validateCounters(object: JsonObject, old: JsonObject): readonly FieldError[] {
  const spec = objectOf(object, "spec");
  const isElastic =
    getKey(spec, "completionMode") === "Indexed" &&
    isSameValue(pointedNumber(spec, "completions"), pointedNumber(spec, "parallelism"));
  const names = isElastic ? ["failed"] : ["failed", "succeeded"];
  return names
    .filter((name) => countOf(object, "status", name) < countOf(old, "status", name))
    .map((name) =>
      invalidValue(`status.${name}`, countOf(object, "status", name), `cannot decrease the ${name} counter`),
    );
}

function validateTimes(object: JsonObject, old: JsonObject): readonly FieldError[] {
  const status = objectOf(object, "status");
  const before = objectOf(old, "status");
  const completion = getKey(status, "completionTime") ?? null;
  const isResuming = isConditionTrue(old, "Suspended") && conditionStatus(object, "Suspended") === "False";
  const isSuspended = getKey(objectOf(object, "spec"), "suspend") === true;
  const errors: FieldError[] = [];
  if (completion !== null && (getKey(before, "completionTime") ?? null) !== null)
    if (isChanged(object, old, "completionTime"))
      errors.push(invalidValue("status.completionTime", completion, "field is immutable"));
  if (
    isChanged(object, old, "startTime") &&
    !isResuming &&
    (getKey(before, "startTime") ?? null) !== null &&
    !isSuspended
  )
    errors.push(
      invalidValue(
        "status.startTime",
        getKey(status, "startTime") ?? null,
        "field is immutable for unsuspended job once set",
      ),
    );
  return errors;
}

function validateCriteria(object: JsonObject, old: JsonObject): readonly FieldError[] {
  const isMet = isConditionTrue(object, "SuccessCriteriaMet");
  const wasMet = isConditionTrue(old, "SuccessCriteriaMet");
  if (wasMet && !isMet) return [wrongConditions("cannot disable the SuccessCriteriaMet=True condition")];
  if (isConditionTrue(old, "Complete") && !wasMet && isMet)
    return [wrongConditions("cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions")];
  return [];
}
