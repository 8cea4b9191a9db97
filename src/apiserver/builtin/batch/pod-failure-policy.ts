// SPDX-License-Identifier: Apache-2.0
import { getKey, isObject, type JsonObject } from "../../json/json.ts";
import { listAt, objectAt, objectsAt, textOf } from "../../json/json-fields.ts";
import { labelKeyErrors } from "../../metadata/label-rules.ts";
import {
  duplicateValue,
  type FieldError,
  invalidValue,
  notSupportedValue,
  requiredValue,
  tooMany,
} from "../../status/field-error.ts";
import { isSet } from "../checks/object-fields.ts";
import { invalidEach } from "../pod-spec/text-rules.ts";

// Kubernetes' limits.
const maxRules = 20;
const maxExitCodes = 255;
const maxConditions = 20;

const actions = ["Count", "FailIndex", "FailJob", "Ignore"];
const operators = ["In", "NotIn"];
const conditionStatuses = ["False", "True", "Unknown"];

/** Validates the policy for failed Pods: which failures fail the Job, fail an index, or are ignored. */
export function validatePodFailurePolicy(spec: JsonObject, field: string): readonly FieldError[] {
  const policy = getKey(spec, "podFailurePolicy");
  if (!isObject(policy)) return [];
  const rules = objectsAt(policy, "rules");
  const containers = new Set(
    ["containers", "initContainers"].flatMap((list) =>
      objectsAt(spec, "template", "spec", list).map((container) => textOf(container, "name")),
    ),
  );
  return [
    ...(rules.length > maxRules ? [tooMany(`${field}.rules`, rules.length, maxRules)] : []),
    ...rules.flatMap((rule, index) => {
      const at = `${field}.rules[${index}]`;
      return [...validateAction(rule, spec, `${at}.action`), ...validateRule(rule, at, containers)];
    }),
  ];
}

function validateAction(rule: JsonObject, spec: JsonObject, field: string): readonly FieldError[] {
  const action = textOf(rule, "action");
  if (action === "FailIndex")
    return isSet(spec, "backoffLimitPerIndex")
      ? []
      : [invalidValue(field, action, "requires the backoffLimitPerIndex to be set")];
  return choose(action, actions, field);
}

/** Validates a required value from a list. The error for an empty value prints the list in Go's format. */
function choose(value: string, supported: readonly string[], field: string): readonly FieldError[] {
  if (supported.includes(value)) return [];
  if (value !== "") return [notSupportedValue(field, value, supported)];
  const shown = supported.map((one) => JSON.stringify(one)).join(" ");
  return [requiredValue(field, `valid values: [${shown}]`)];
}

function validateRule(rule: JsonObject, field: string, containers: ReadonlySet<string>): readonly FieldError[] {
  const exitCodes = objectAt(rule, "onExitCodes");
  const conditions = objectsAt(rule, "onPodConditions");
  const omitted = (detail: string): FieldError => ({
    field,
    reason: "FieldValueInvalid",
    text: `Invalid value: ${detail}`,
  });
  return [
    ...(exitCodes === undefined ? [] : validateExitCodes(exitCodes, `${field}.onExitCodes`, containers)),
    ...validateConditions(conditions, `${field}.onPodConditions`),
    ...(exitCodes !== undefined && conditions.length > 0
      ? [omitted("specifying both OnExitCodes and OnPodConditions is not supported")]
      : []),
    ...(exitCodes === undefined && conditions.length === 0
      ? [omitted("specifying one of OnExitCodes and OnPodConditions is required")]
      : []),
  ];
}

function validateConditions(conditions: readonly JsonObject[], field: string): readonly FieldError[] {
  return [
    ...(conditions.length > maxConditions ? [tooMany(field, conditions.length, maxConditions)] : []),
    ...conditions.flatMap((condition, index) => {
      const type = textOf(condition, "type");
      return [
        ...invalidEach(`${field}[${index}].type`, type, labelKeyErrors(type)),
        ...choose(textOf(condition, "status"), conditionStatuses, `${field}[${index}].status`),
      ];
    }),
  ];
}

function validateExitCodes(rule: JsonObject, field: string, containers: ReadonlySet<string>): readonly FieldError[] {
  const operator = textOf(rule, "operator");
  const container = getKey(rule, "containerName");
  const values = (listAt(rule, "values") ?? []).map(Number);
  const errors = [...choose(operator, operators, `${field}.operator`)];
  if (typeof container === "string" && !containers.has(container))
    errors.push(
      invalidValue(
        `${field}.containerName`,
        container,
        "must be one of the container or initContainer names in the pod template",
      ),
    );
  if (values.length === 0)
    errors.push(invalidValue(`${field}.values`, getKey(rule, "values") ?? null, "at least one value is required"));
  else if (values.length > maxExitCodes) errors.push(tooMany(`${field}.values`, values.length, maxExitCodes));
  return [...errors, ...validateCodes(values, operator, `${field}.values`)];
}

function validateCodes(values: readonly number[], operator: string, field: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<number>();
  for (const [index, value] of values.entries()) {
    const at = `${field}[${index}]`;
    if (operator === "In" && value === 0) errors.push(invalidValue(at, value, "must not be 0 for the In operator"));
    if (seen.has(value)) errors.push(duplicateValue(at, value));
    seen.add(value);
  }
  const isOrdered = values.every((value, index) => index === 0 || (values[index - 1] ?? 0) <= value);
  return isOrdered ? errors : [...errors, invalidValue(field, [...values], "must be ordered")];
}
