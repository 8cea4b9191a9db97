// SPDX-License-Identifier: Apache-2.0
import { getKey, type JsonObject } from "../../json/json.ts";
import { objectsAt, textOf } from "../../json/json-fields.ts";
import type { FieldError } from "../../status/field-error.ts";
import { isSameValue, objectOf } from "../checks/field-checks.ts";

/** The status of the condition of this type; empty if the Job has none. */
export function conditionStatus(job: JsonObject, type: string): string {
  const found = objectsAt(job, "status", "conditions").find((condition) => textOf(condition, "type") === type);
  return found === undefined ? "" : textOf(found, "status");
}

/** Whether the Job has a condition of this type with status True. */
export function isConditionTrue(job: JsonObject, type: string): boolean {
  return objectsAt(job, "status", "conditions").some(
    (condition) => textOf(condition, "type") === type && textOf(condition, "status") === "True",
  );
}

/** Whether the Job is complete or failed. */
export function isFinished(job: JsonObject): boolean {
  return isConditionTrue(job, "Complete") || isConditionTrue(job, "Failed");
}

/** An error about `status.conditions` whose message omits the value. */
export function wrongConditions(detail: string): FieldError {
  return { field: "status.conditions", reason: "FieldValueInvalid", text: `Invalid value: ${detail}` };
}

/** Whether this field of the status changed. */
export function isChanged(object: JsonObject, old: JsonObject, name: string): boolean {
  return !isSameValue(getKey(objectOf(object, "status"), name), getKey(objectOf(old, "status"), name));
}
