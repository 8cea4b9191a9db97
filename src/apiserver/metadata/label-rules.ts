// SPDX-License-Identifier: Apache-2.0
// The rules for labels and label selectors, with Kubernetes' messages.

import { compareUtf8, utf8ByteCount } from "../../model/text.ts";
import { getKey, isObject, type Json, type JsonObject } from "../json/json.ts";
import { listAt, objectAt, textAt } from "../json/json-fields.ts";
import { type FieldError, forbiddenField, invalidValue, requiredValue } from "../status/field-error.ts";
import { createFormTest, formError, labelPrefixErrors, lengthError, type TextForm } from "./name-rules.ts";

/** Kubernetes' maximum length of a label key's name part and of a label value. */
const maxLabelBytes = 63;

const keyPattern = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";

const keyForm: TextForm = {
  pattern: keyPattern,
  words:
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  examples: ["MyName", "my.name", "123-abc"],
};

const valueForm: TextForm = {
  pattern: `(${keyPattern})?`,
  words:
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  examples: ["MyValue", "my_value", "12345"],
};

const isKeyName = createFormTest(keyForm);
const isValue = createFormTest(valueForm);

/** The errors of a qualified name: a label key, a lower-case annotation key, a finalizer or a condition type. */
export function labelKeyErrors(key: string): readonly string[] {
  const [first = "", second, ...more] = key.split("/");
  if (more.length > 0) {
    const hint = "with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')";
    return [`a valid label key ${formError(keyForm)} ${hint}`];
  }
  const errors: string[] = [];
  if (second !== undefined) {
    const wrong = first === "" ? ["must be non-empty"] : labelPrefixErrors(first);
    errors.push(...wrong.map((error) => `prefix part ${error}`));
  }
  const name = second ?? first;
  if (name === "") errors.push("name part must be non-empty");
  else if (exceedsBytes(name, maxLabelBytes)) errors.push(`name part ${lengthError(maxLabelBytes, "bytes")}`);
  if (!isKeyName(name)) errors.push(`name part ${formError(keyForm)}`);
  return errors;
}

/** The errors of a label value. */
export function labelValueErrors(value: string): readonly string[] {
  const errors: string[] = [];
  if (exceedsBytes(value, maxLabelBytes)) errors.push(lengthError(maxLabelBytes, "bytes"));
  if (!isValue(value)) errors.push(formError(valueForm));
  return errors;
}

/** Errors in a map of labels, sorted by key (kube-apiserver's order is random). `labels` may be absent. */
export function validateLabels(labels: Json | undefined, field: string): readonly FieldError[] {
  if (!isObject(labels)) return [];
  // Every write checks this several times, mostly for valid labels: those need no sorting.
  const isRight = (key: string): boolean => {
    const value = getKey(labels, key);
    return labelKeyErrors(key).length === 0 && labelValueErrors(typeof value === "string" ? value : "").length === 0;
  };
  if (Object.keys(labels).every(isRight)) return [];
  return sortedKeys(labels).flatMap((key) => {
    const value = getKey(labels, key);
    const text = typeof value === "string" ? value : "";
    return [
      ...labelKeyErrors(key).map((error) => invalidValue(field, key, error)),
      ...labelValueErrors(text).map((error) => invalidValue(field, text, error)),
    ];
  });
}

/** Errors in a LabelSelector; none if it is absent. */
export function validateLabelSelector(selector: Json | undefined, field: string): readonly FieldError[] {
  if (!isObject(selector)) return [];
  const expressions = listAt(selector, "matchExpressions") ?? [];
  return [
    ...validateLabels(objectAt(selector, "matchLabels"), `${field}.matchLabels`),
    ...expressions.flatMap((expression, index) =>
      validateRequirement(isObject(expression) ? expression : {}, `${field}.matchExpressions[${index}]`),
    ),
  ];
}

/** A UTF-16 unit has at most three bytes in UTF-8, so most texts need no counting. */
function exceedsBytes(text: string, maxBytes: number): boolean {
  return text.length * 3 > maxBytes && utf8ByteCount(text) > maxBytes;
}

/** Keys sorted bytewise, as in Go. */
export function sortedKeys(object: JsonObject): readonly string[] {
  return Object.keys(object).sort(compareUtf8);
}

function validateRequirement(requirement: JsonObject, field: string): readonly FieldError[] {
  const values = (listAt(requirement, "values") ?? []).map((value) => (typeof value === "string" ? value : ""));
  const key = textAt(requirement, "key") ?? "";
  return [
    ...validateOperator(textAt(requirement, "operator") ?? "", values.length, field),
    ...labelKeyErrors(key).map((error) => invalidValue(`${field}.key`, key, error)),
    ...values.flatMap((value, index) =>
      labelValueErrors(value).map((error) => invalidValue(`${field}.values[${index}]`, value, error)),
    ),
  ];
}

function validateOperator(operator: string, valueCount: number, field: string): readonly FieldError[] {
  switch (operator) {
    case "In":
    case "NotIn":
      if (valueCount > 0) return [];
      return [requiredValue(`${field}.values`, "must be specified when `operator` is 'In' or 'NotIn'")];
    case "Exists":
    case "DoesNotExist":
      if (valueCount === 0) return [];
      return [forbiddenField(`${field}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
    default:
      return [invalidValue(`${field}.operator`, operator, "not a valid selector operator")];
  }
}
