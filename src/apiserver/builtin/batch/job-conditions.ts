// SPDX-License-Identifier: Apache-2.0
import { getKey, type JsonObject } from "../../json/json.ts";
import type { FieldError } from "../../status/field-error.ts";
import { isSameValue, objectOf } from "../checks/field-checks.ts";
import { objectsAt, textOf } from "../pod-spec/pod-spec-fields.ts";

/** The status of that condition of a Job; empty where it has none. */
export function conditionStatus(job: JsonObject, type: string): string {
  const found = objectsAt(job, "status", "conditions").find((condition) => textOf(condition, "type") === type);
  return found === undefined ? "" : textOf(found, "status");
}

/** The Job has that condition, and it holds. */
export function isConditionTrue(job: JsonObject, type: string): boolean {
  return objectsAt(job, "status", "conditions").some(
    (condition) => textOf(condition, "type") === type && textOf(condition, "status") === "True",
  );
}

/** The Job is complete or has failed. */
export function isFinished(job: JsonObject): boolean {
  return isConditionTrue(job, "Complete") || isConditionTrue(job, "Failed");
}

/** A mistake whose value the sentence leaves out. */
export function wrongConditions(detail: string): FieldError {
  return { field: "status.conditions", reason: "FieldValueInvalid", text: `Invalid value: ${detail}` };
}

/** A part of the status differs between the two. */
export function isChanged(object: JsonObject, old: JsonObject, name: string): boolean {
  return !isSameValue(getKey(objectOf(object, "status"), name), getKey(objectOf(old, "status"), name));
}
