// SPDX-License-Identifier: Apache-2.0
import { getKey, type JsonObject } from "../../json/json.ts";
import { countOf, objectAt, objectsAt, textOf, textsAt } from "../../json/json-fields.ts";
import { labelKeyErrors, labelValueErrors, validateLabelSelector } from "../../metadata/label-rules.ts";
import { dnsLabelErrors, dnsSubdomainErrors } from "../../metadata/name-rules.ts";
import { type FieldError, forbiddenField, invalidValue, requiredValue } from "../../status/field-error.ts";
import { invalidEach } from "./text-rules.ts";

const required = "requiredDuringSchedulingIgnoredDuringExecution";
const preferred = "preferredDuringSchedulingIgnoredDuringExecution";

/** Validates node affinity, pod affinity and pod anti-affinity. */
export function validateAffinity(affinity: JsonObject | undefined, field: string): readonly FieldError[] {
  if (affinity === undefined) return [];
  return [
    ...validateNodeAffinity(objectAt(affinity, "nodeAffinity"), `${field}.nodeAffinity`),
    ...validatePodAffinity(objectAt(affinity, "podAffinity"), `${field}.podAffinity`),
    ...validatePodAffinity(objectAt(affinity, "podAntiAffinity"), `${field}.podAntiAffinity`),
  ];
}

/** Validates a node selector of a Pod or PersistentVolume. */
export function validateNodeSelector(selector: JsonObject, field: string): readonly FieldError[] {
  const at = `${field}.nodeSelectorTerms`;
  const terms = objectsAt(selector, "nodeSelectorTerms");
  if (terms.length === 0) return [requiredValue(at, "must have at least one node selector term")];
  return terms.flatMap((term, index) => validateTerm(term, `${at}[${index}]`, true));
}

/** Validates `matchLabelKeys` and `mismatchLabelKeys`, whose values come from the incoming Pod. */
export function validateMatchLabelKeys(holder: JsonObject, field: string): readonly FieldError[] {
  const selector = objectAt(holder, "labelSelector");
  const errors: FieldError[] = [];
  for (const list of ["matchLabelKeys", "mismatchLabelKeys"]) {
    const keys = textsAt(holder, list);
    const at = `${field}.${list}`;
    if (keys.length > 0 && selector === undefined)
      errors.push(forbiddenField(at, "must not be specified when labelSelector is not set"));
    else keys.forEach((key, index) => errors.push(...invalidEach(`${at}[${index}]`, key, labelKeyErrors(key))));
  }
  errors.push(...validateRepeatedKeys(holder, selector, field));
  const mismatched = textsAt(holder, "mismatchLabelKeys");
  textsAt(holder, "matchLabelKeys").forEach((key, index) => {
    if (mismatched.includes(key))
      errors.push(
        invalidValue(`${field}.matchLabelKeys[${index}]`, key, "exists in both matchLabelKeys and mismatchLabelKeys"),
      );
  });
  return errors;
}

/** The server has added one expression for each key. Only a second one for the same key is an error of the client. */
function validateRepeatedKeys(
  holder: JsonObject,
  selector: JsonObject | undefined,
  field: string,
): readonly FieldError[] {
  if (selector === undefined) return [];
  const keys = textsAt(holder, "matchLabelKeys");
  const seen = new Set(Object.keys(objectAt(selector, "matchLabels") ?? {}));
  const errors: FieldError[] = [];
  for (const expression of objectsAt(selector, "matchExpressions")) {
    const key = textOf(expression, "key");
    const index = keys.lastIndexOf(key);
    if (index !== -1 && seen.has(key))
      errors.push(invalidValue(`${field}[${index}]`, key, "exists in both matchLabelKeys and labelSelector"));
    seen.add(key);
  }
  return errors;
}

function validateNodeAffinity(affinity: JsonObject | undefined, field: string): readonly FieldError[] {
  if (affinity === undefined) return [];
  const selector = objectAt(affinity, required);
  return [
    ...(selector === undefined ? [] : validateNodeSelector(selector, `${field}.${required}`)),
    ...objectsAt(affinity, preferred).flatMap((term, index) => {
      const at = `${field}.${preferred}[${index}]`;
      return [
        ...validateWeight(term, at),
        ...validateTerm(objectAt(term, "preference") ?? {}, `${at}.preference`, false),
      ];
    }),
  ];
}

function validateWeight(term: JsonObject, field: string): readonly FieldError[] {
  const weight = countOf(term, "weight");
  if (weight > 0 && weight <= 100) return [];
  return [invalidValue(`${field}.weight`, weight, "must be in the range 1-100")];
}

function validateTerm(term: JsonObject, field: string, checksValues: boolean): readonly FieldError[] {
  return [
    ...objectsAt(term, "matchExpressions").flatMap((requirement, index) =>
      validateRequirement(requirement, `${field}.matchExpressions[${index}]`, checksValues),
    ),
    ...objectsAt(term, "matchFields").flatMap((requirement, index) =>
      validateFieldRequirement(requirement, `${field}.matchFields[${index}]`),
    ),
  ];
}

function validateRequirement(requirement: JsonObject, field: string, checksValues: boolean): readonly FieldError[] {
  const values = textsAt(requirement, "values");
  const key = textOf(requirement, "key");
  return [
    ...validateOperator(textOf(requirement, "operator"), values.length, field),
    ...invalidEach(`${field}.key`, key, labelKeyErrors(key)),
    ...(checksValues
      ? values.flatMap((value, index) => invalidEach(`${field}.values[${index}]`, value, labelValueErrors(value)))
      : []),
  ];
}

function validateOperator(operator: string, valueCount: number, field: string): readonly FieldError[] {
  const at = `${field}.values`;
  switch (operator) {
    case "In":
    case "NotIn":
      return valueCount > 0 ? [] : [requiredValue(at, "must be specified when `operator` is 'In' or 'NotIn'")];
    case "Exists":
    case "DoesNotExist":
      if (valueCount === 0) return [];
      return [forbiddenField(at, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
    case "Gt":
    case "Lt":
      if (valueCount === 1) return [];
      return [requiredValue(at, "must be specified single value when `operator` is 'Lt' or 'Gt'")];
    default:
      return [invalidValue(`${field}.operator`, operator, "not a valid selector operator")];
  }
}

function validateFieldRequirement(requirement: JsonObject, field: string): readonly FieldError[] {
  const operator = textOf(requirement, "operator");
  const key = textOf(requirement, "key");
  const values = textsAt(requirement, "values");
  const errors: FieldError[] = [];
  if (operator !== "In" && operator !== "NotIn")
    errors.push(invalidValue(`${field}.operator`, operator, "not a valid selector operator"));
  else if (values.length !== 1)
    errors.push(
      requiredValue(
        `${field}.values`,
        "must be only one value when `operator` is 'In' or 'NotIn' for node field selector",
      ),
    );
  if (key !== "metadata.name") return [...errors, invalidValue(`${field}.key`, key, "not a valid field selector key")];
  return [
    ...errors,
    ...values.flatMap((value, index) =>
      invalidEach(`${field}.values[${index}]`, value, dnsSubdomainErrors(value, false)),
    ),
  ];
}

function validatePodAffinity(affinity: JsonObject | undefined, field: string): readonly FieldError[] {
  if (affinity === undefined) return [];
  return [
    ...objectsAt(affinity, required).flatMap((term, index) => validatePodTerm(term, `${field}.${required}[${index}]`)),
    ...objectsAt(affinity, preferred).flatMap((weighted, index) => {
      const at = `${field}.${preferred}[${index}]`;
      return [
        ...validateWeight(weighted, at),
        ...validatePodTerm(objectAt(weighted, "podAffinityTerm") ?? {}, `${at}.podAffinityTerm`),
      ];
    }),
  ];
}

function validatePodTerm(term: JsonObject, field: string): readonly FieldError[] {
  const topologyKey = textOf(term, "topologyKey");
  const at = `${field}.topologyKey`;
  return [
    ...validateLabelSelector(getKey(term, "labelSelector"), `${field}.labelSelector`),
    ...validateLabelSelector(getKey(term, "namespaceSelector"), `${field}.namespaceSelector`),
    ...textsAt(term, "namespaces").flatMap((name) =>
      invalidEach(`${field}.namespace`, name, dnsLabelErrors(name, false)),
    ),
    ...validateMatchLabelKeys(term, field),
    ...(topologyKey === "" ? [requiredValue(at, "can not be empty")] : []),
    ...invalidEach(at, topologyKey, labelKeyErrors(topologyKey)),
  ];
}
