// SPDX-License-Identifier: Apache-2.0
// Scheduling fields of a pod spec other than affinity: tolerations, topology spread, gates.

import { getKey, type JsonObject } from "../../json/json.ts";
import { countOf, objectsAt, textOf } from "../../json/json-fields.ts";
import { labelKeyErrors, labelValueErrors, validateLabelSelector } from "../../metadata/label-rules.ts";
import {
  duplicateValue,
  type FieldError,
  invalidValue,
  notSupportedValue,
  requiredValue,
} from "../../status/field-error.ts";
import { isSet, pointedNumber } from "../checks/object-fields.ts";
import { invalidEach, validateOptionalChoice } from "./text-rules.ts";
import { validateMatchLabelKeys } from "./validate-affinity.ts";

/** The effects of taints. */
export const taintEffects = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

const scheduleActions = ["DoNotSchedule", "ScheduleAnyway"];
const inclusionPolicies = ["Honor", "Ignore"];

/** Validates the tolerations of a Pod. */
export function validateTolerations(spec: JsonObject, field: string): readonly FieldError[] {
  return objectsAt(spec, "tolerations").flatMap((toleration, index) => {
    const at = `${field}[${index}]`;
    const key = textOf(toleration, "key");
    const operator = textOf(toleration, "operator");
    const effect = textOf(toleration, "effect");
    const errors: FieldError[] = [];
    if (key !== "") errors.push(...invalidEach(`${at}.key`, key, labelKeyErrors(key)));
    else if (operator !== "Exists")
      errors.push(
        invalidValue(
          `${at}.operator`,
          operator,
          'operator must be Exists when `key` is empty, which means "match all values and all keys"',
        ),
      );
    if (isSet(toleration, "tolerationSeconds") && effect !== "NoExecute")
      errors.push(invalidValue(`${at}.effect`, effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"));
    errors.push(...validateTolerationValue(operator, textOf(toleration, "value"), at));
    if (effect !== "" && !taintEffects.includes(effect))
      errors.push(notSupportedValue(`${at}.effect`, effect, taintEffects));
    return errors;
  });
}

function validateTolerationValue(operator: string, value: string, field: string): readonly FieldError[] {
  const at = `${field}.operator`;
  switch (operator) {
    case "":
    case "Equal": {
      const sentences = labelValueErrors(value);
      return sentences.length === 0 ? [] : [invalidValue(at, value, sentences.join(";"))];
    }
    case "Exists":
      return value === "" ? [] : [invalidValue(at, value, "value must be empty when `operator` is 'Exists'")];
    case "Lt":
    case "Gt":
      return [notSupportedValue(at, operator, ["Equal", "Exists", "Lt", "Gt"])];
    default:
      return [notSupportedValue(at, operator, ["Equal", "Exists"])];
  }
}

/** Validates the topology spread constraints of a Pod. */
export function validateSpreadConstraints(spec: JsonObject, field: string): readonly FieldError[] {
  const constraints = objectsAt(spec, "topologySpreadConstraints");
  return constraints.flatMap((constraint, index) => {
    const at = `${field}[${index}]`;
    const maxSkew = countOf(constraint, "maxSkew");
    const topologyKey = textOf(constraint, "topologyKey");
    const action = textOf(constraint, "whenUnsatisfiable");
    const isRepeated = constraints
      .slice(index + 1)
      .some((other) => textOf(other, "topologyKey") === topologyKey && textOf(other, "whenUnsatisfiable") === action);
    const errors: FieldError[] = [];
    if (maxSkew <= 0) errors.push(invalidValue(`${at}.maxSkew`, maxSkew, "must be greater than zero"));
    if (topologyKey === "") errors.push(requiredValue(`${at}.topologyKey`, "can not be empty"));
    if (!scheduleActions.includes(action))
      errors.push(notSupportedValue(`${at}.whenUnsatisfiable`, action, scheduleActions));
    if (isRepeated)
      errors.push(duplicateValue(`${at}.{topologyKey, whenUnsatisfiable}`, `{${topologyKey}, ${action}}`));
    return [
      ...errors,
      ...validateMinDomains(pointedNumber(constraint, "minDomains"), action, `${at}.minDomains`),
      ...["nodeAffinityPolicy", "nodeTaintsPolicy"].flatMap((key) =>
        validateOptionalChoice(`${at}.${key}`, getKey(constraint, key), inclusionPolicies),
      ),
      ...validateMatchLabelKeys(constraint, at),
      ...validateLabelSelector(getKey(constraint, "labelSelector"), `${at}.labelSelector`),
    ];
  });
}

function validateMinDomains(count: number | bigint | undefined, action: string, field: string): readonly FieldError[] {
  if (count === undefined) return [];
  const errors: FieldError[] = [];
  if (count <= 0) errors.push(invalidValue(field, count, "must be greater than zero"));
  if (action !== "DoNotSchedule")
    errors.push(
      invalidValue(field, count, `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action}`),
    );
  return errors;
}

/** Validates the scheduling gates of a Pod. */
export function validateSchedulingGates(spec: JsonObject, field: string): readonly FieldError[] {
  const seen = new Set<string>();
  return objectsAt(spec, "schedulingGates").flatMap((gate, index) => {
    const name = textOf(gate, "name");
    const errors = [...invalidEach(`${field}[${index}]`, name, labelKeyErrors(name))];
    if (seen.has(name)) errors.push(duplicateValue(`${field}[${index}]`, name));
    seen.add(name);
    return errors;
  });
}
