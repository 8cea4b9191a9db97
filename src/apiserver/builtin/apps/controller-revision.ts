// SPDX-License-Identifier: Apache-2.0
import { getKey, isObject, type JsonObject } from "../../json/json.ts";
import type { Strategy } from "../../resources/strategy.ts";
import { type FieldError, requiredValue } from "../../status/field-error.ts";
import { immutable, nonNegative } from "../checks/field-checks.ts";

function validate(object: JsonObject): readonly FieldError[] {
  const content = getKey(object, "data") ?? null;
  const errors = [...nonNegative(object, "", "revision")];
  if (content === null) errors.push(requiredValue("data", "data is mandatory"));
  else if (!isObject(content)) errors.push(requiredValue("data", "data must be a valid JSON object"));
  return errors;
}

/** ControllerRevisions: earlier states of a StatefulSet or DaemonSet. Their `data` is immutable. */
export const controllerRevisionStrategy: Strategy = {
  validate,
  validateUpdate: (object, old) => immutable(getKey(object, "data"), getKey(old, "data"), "data"),
};
