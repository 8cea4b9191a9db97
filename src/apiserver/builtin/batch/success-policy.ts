// SPDX-License-Identifier: Apache-2.0
import { getKey, isObject, type JsonObject } from "../../json/json.ts";
import { countOf, objectsAt } from "../../json/json-fields.ts";
import { type FieldError, invalidValue, requiredValue, tooMany } from "../../status/field-error.ts";
import { atMostBytes, nonNegative } from "../checks/field-checks.ts";
import { pointedNumber } from "../checks/object-fields.ts";
import { parseIndexes } from "./index-ranges.ts";

// Kubernetes' limits.
const maxRules = 20;
const maxIndexesBytes = 64 * 1024;

/** Validates the policy by which an Indexed Job succeeds before all its indexes do. */
export function validateSuccessPolicy(spec: JsonObject, field: string): readonly FieldError[] {
  const policy = getKey(spec, "successPolicy");
  if (!isObject(policy)) return [];
  const rules = objectsAt(policy, "rules");
  if (getKey(spec, "completionMode") !== "Indexed")
    return [
      invalidValue(
        field,
        { Rules: rules.length === 0 ? null : rules.map(shownRule) },
        "requires indexed completion mode",
      ),
    ];
  return [
    ...(rules.length === 0
      ? [requiredValue(`${field}.rules`, "at least one rules must be specified when the successPolicy is specified")]
      : []),
    ...(rules.length > maxRules ? [tooMany(`${field}.rules`, rules.length, maxRules)] : []),
    ...rules.flatMap((rule, index) => validateRule(rule, countOf(spec, "completions"), `${field}.rules[${index}]`)),
  ];
}

/** Error messages print kube-apiserver's internal form. */
function shownRule(rule: JsonObject): JsonObject {
  return {
    SucceededIndexes: getKey(rule, "succeededIndexes") ?? null,
    SucceededCount: getKey(rule, "succeededCount") ?? null,
  };
}

function validateRule(rule: JsonObject, completions: number, field: string): readonly FieldError[] {
  const text = getKey(rule, "succeededIndexes");
  const count = pointedNumber(rule, "succeededCount");
  const errors: FieldError[] = [];
  if (typeof text !== "string" && count === undefined)
    errors.push(requiredValue(field, "at least one of succeededCount or succeededIndexes must be specified"));
  const indexes = typeof text === "string" ? parseIndexes(text, completions) : undefined;
  if (typeof text === "string") {
    errors.push(...atMostBytes(text, maxIndexesBytes, `${field}.succeededIndexes`));
    if (typeof indexes === "string")
      errors.push(invalidValue(`${field}.succeededIndexes`, text, `error parsing succeededIndexes: ${indexes}`));
  }
  if (count === undefined) return errors;
  errors.push(...nonNegative(rule, field, "succeededCount"));
  const total = typeof indexes === "object" ? indexes.count : 0;
  const tooHigh = (max: number, what: string): FieldError =>
    invalidValue(`${field}.succeededCount`, count, `must be less than or equal to ${max} (${what})`);
  if (count > completions) errors.push(tooHigh(completions, "the number of specified completions"));
  if (indexes !== undefined && count > total)
    errors.push(tooHigh(total, "the number of indexes in the specified succeededIndexes field"));
  return errors;
}
