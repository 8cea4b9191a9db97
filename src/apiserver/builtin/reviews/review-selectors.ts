// SPDX-License-Identifier: Apache-2.0
// Selectors in an access review. RBAC ignores them; they are validated, and the response reports parse errors.

import { hasCode } from "../../../base/error.ts";
import { parseFieldSelector } from "../../../model/selectors/field-selector.ts";
import { parseLabelSelector } from "../../../model/selectors/label-selector-parse.ts";
import { type JsonObject } from "../../json/json.ts";
import { objectAt, objectsAt, textOf, textsAt } from "../../json/json-fields.ts";
import { labelKeyErrors, labelValueErrors } from "../../metadata/label-rules.ts";
import { type FieldError, forbiddenField, invalidValue, requiredValue } from "../../status/field-error.ts";
import { invalidEach } from "../pod-spec/text-rules.ts";

const labelOperators = new Set(["In", "NotIn", "Exists", "DoesNotExist"]);

/**
 * Validates `fieldSelector` and `labelSelector` of the attributes. Unknown operators are valid: a later version may
 * define them.
 */
export function validateSelectors(attributes: JsonObject, field: string): readonly FieldError[] {
  return ["fieldSelector", "labelSelector"].flatMap((name) => {
    const selector = objectAt(attributes, name);
    if (selector === undefined) return [];
    const at = `${field}.${name}`;
    const requirements = objectsAt(selector, "requirements");
    const raw = textOf(selector, "rawSelector");
    return [
      ...(raw !== "" && requirements.length > 0
        ? [invalidValue(`${at}.rawSelector`, raw, "may not specified at the same time as requirements")]
        : []),
      ...(raw === "" && requirements.length === 0
        ? [requiredValue(`${at}.requirements`, `when ${at} is specified, requirements or rawSelector is required`)]
        : []),
      ...requirements.flatMap((requirement, index) =>
        validateRequirement(requirement, `${at}.requirements[${index}]`, name === "labelSelector"),
      ),
    ];
  });
}

function validateRequirement(requirement: JsonObject, field: string, isLabel: boolean): readonly FieldError[] {
  const key = textOf(requirement, "key");
  const values = textsAt(requirement, "values");
  const operatorErrors = validateValueCount(textOf(requirement, "operator"), values.length, `${field}.values`);
  if (!isLabel) return [...(key === "" ? [requiredValue(`${field}.key`, "must be specified")] : []), ...operatorErrors];
  return [
    ...operatorErrors,
    ...invalidEach(`${field}.key`, key, labelKeyErrors(key)),
    ...values.flatMap((value, index) => invalidEach(`${field}.values[${index}]`, value, labelValueErrors(value))),
  ];
}

function validateValueCount(operator: string, count: number, field: string): readonly FieldError[] {
  const takesValues = operator === "In" || operator === "NotIn";
  const takesNone = operator === "Exists" || operator === "DoesNotExist";
  if (takesValues && count === 0) return [requiredValue(field, "must be specified when `operator` is 'In' or 'NotIn'")];
  if (takesNone && count > 0)
    return [forbiddenField(field, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
  return [];
}

/** Messages about selectors that are ignored, wholly or in part, because they cannot be parsed. */
export function selectorProblems(attributes: JsonObject): readonly string[] {
  return [
    ...problem("fieldSelector", attributes, isFieldSelector, isPlainFieldRequirement),
    ...problem("labelSelector", attributes, isLabelSelector, (requirement) =>
      labelOperators.has(textOf(requirement, "operator")),
    ),
  ];
}

function problem(
  name: string,
  attributes: JsonObject,
  isRaw: (text: string) => boolean,
  isUnderstood: (requirement: JsonObject) => boolean,
): readonly string[] {
  const selector = objectAt(attributes, name);
  if (selector === undefined) return [];
  const requirements = objectsAt(selector, "requirements");
  const understoodCount = requirements.filter(isUnderstood).length;
  const raw = textOf(selector, "rawSelector");
  const isWhole = (raw === "" || isRaw(raw)) && understoodCount === requirements.length;
  if (isWhole) return [];
  const extent = understoodCount > 0 ? "partially ignored" : "ignored";
  return [`spec.resourceAttributes.${name} ${extent} due to parse error`];
}

/** Only equality or inequality with one value is supported for fields. */
function isPlainFieldRequirement(requirement: JsonObject): boolean {
  const isComparison = ["In", "NotIn"].includes(textOf(requirement, "operator"));
  return isComparison && textsAt(requirement, "values").length === 1;
}

function isFieldSelector(text: string): boolean {
  return isReadable(() => parseFieldSelector(text));
}

function isLabelSelector(text: string): boolean {
  return isReadable(() => parseLabelSelector(text));
}

function isReadable(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch (reason) {
    if (hasCode(reason, "INVALID_ARGUMENT")) return false;
    throw reason;
  }
}
