// SPDX-License-Identifier: Apache-2.0
import { type DraftObject, ensureObject, getKey, type JsonObject, setKey } from "../../json/json.ts";
import { objectAt, objectsAt, textOf } from "../../json/json-fields.ts";
import { labelKeyErrors, sortedKeys } from "../../metadata/label-rules.ts";
import type { Strategy } from "../../resources/strategy.ts";
import {
  duplicateValue,
  type FieldError,
  forbiddenField,
  invalidValue,
  requiredValue,
} from "../../status/field-error.ts";
import { compareQuantities, quantityNanos, roundResourceList } from "../pod-spec/quantity-value.ts";
import {
  isOvercommitAllowed,
  validateContainerResourceName,
  validateResourceName,
} from "../pod-spec/resource-names.ts";
import { invalidEach } from "../pod-spec/text-rules.ts";

const limitTypes = new Set(["Pod", "Container", "PersistentVolumeClaim"]);
const lists = ["max", "min", "default", "defaultRequest", "maxLimitRequestRatio"] as const;

/** LimitRanges: bounds and defaults for objects of a namespace. */
export const limitRangeStrategy: Strategy = {
  setDefaults(object) {
    for (const limit of objectsAt(object, "spec", "limits")) {
      for (const list of lists) roundResourceList(objectAt(limit, list));
      if (textOf(limit, "type") === "Container") setContainerDefaults(limit);
    }
  },
  validate(object) {
    const types = new Set<string>();
    return objectsAt(object, "spec", "limits").flatMap((limit, index) => {
      const at = `spec.limits[${index}]`;
      const type = textOf(limit, "type");
      const repeated = types.has(type) ? [duplicateValue(`${at}.type`, type)] : [];
      types.add(type);
      return [...validateType(type, `${at}.type`), ...repeated, ...validateLimit(limit, type, at)];
    });
  },
  allowsCreateOnUpdate: true,
};

/** Per resource, `default` falls back to `max`, and `defaultRequest` to `default`, then to `min`. */
function setContainerDefaults(limit: DraftObject): void {
  fill(limit, "default", "max");
  fill(limit, "defaultRequest", "default");
  fill(limit, "defaultRequest", "min");
}

function fill(limit: DraftObject, key: string, source: string): void {
  const from = objectAt(limit, source) ?? {};
  for (const name of Object.keys(from)) {
    const to = ensureObject(limit, key);
    if (getKey(to, name) === undefined) setKey(to, name, textOf(from, name));
  }
}

function validateType(type: string, field: string): readonly FieldError[] {
  const errors = invalidEach(field, type, labelKeyErrors(type));
  if (errors.length > 0 || type.includes("/") || limitTypes.has(type)) return errors;
  return [invalidValue(field, type, "must be a standard limit type or fully qualified")];
}

function validateLimit(limit: JsonObject, type: string, field: string): readonly FieldError[] {
  const nameRule = type === "Pod" || type === "Container" ? validateContainerResourceName : validateResourceName;
  const names = new Set<string>();
  const errors: FieldError[] = [];
  for (const list of lists) {
    const amounts = objectAt(limit, list) ?? {};
    if (type === "Pod" && (list === "default" || list === "defaultRequest")) {
      if (Object.keys(amounts).length > 0)
        errors.push(forbiddenField(`${field}.${list}`, "may not be specified when `type` is 'Pod'"));
      continue;
    }
    if (list === "maxLimitRequestRatio") errors.push(...validateStorage(limit, type, field));
    for (const name of sortedKeys(amounts)) {
      names.add(name);
      errors.push(...nameRule(name, `${field}.${list}[${name}]`));
    }
  }
  for (const name of [...names].sort()) errors.push(...validateAmounts(limit, name, field, type === "Pod"));
  return errors;
}

function validateStorage(limit: JsonObject, type: string, field: string): readonly FieldError[] {
  const isBound = textOf(limit, "min", "storage") !== "" || textOf(limit, "max", "storage") !== "";
  if (type !== "PersistentVolumeClaim" || isBound) return [];
  return [
    requiredValue(`${field}.limits`, "either minimum or maximum storage value is required, but neither was provided"),
  ];
}

function validateAmounts(limit: JsonObject, name: string, field: string, isPod: boolean): readonly FieldError[] {
  const min = textOf(limit, "min", name);
  const max = textOf(limit, "max", name);
  const standard = isPod ? "" : textOf(limit, "default", name);
  const request = isPod ? "" : textOf(limit, "defaultRequest", name);
  const ratio = textOf(limit, "maxLimitRequestRatio", name);
  const exceeds = (a: string, b: string): boolean => a !== "" && b !== "" && compareQuantities(a, b) > 0;
  const errors: FieldError[] = [];
  const addError = (list: string, value: string, detail: string): void => {
    errors.push(invalidValue(`${field}.${list}[${name}]`, value, detail));
  };
  if (exceeds(min, max)) addError("min", min, `min value ${min} is greater than max value ${max}`);
  if (exceeds(min, request))
    addError("defaultRequest", request, `min value ${min} is greater than default request value ${request}`);
  if (exceeds(request, max))
    addError("defaultRequest", request, `default request value ${request} is greater than max value ${max}`);
  if (exceeds(request, standard))
    addError(
      "defaultRequest",
      request,
      `default request value ${request} is greater than default limit value ${standard}`,
    );
  if (exceeds(min, standard)) addError("default", min, `min value ${min} is greater than default value ${standard}`);
  if (exceeds(standard, max)) addError("default", max, `default value ${standard} is greater than max value ${max}`);
  if (exceeds("1", ratio)) addError("maxLimitRequestRatio", ratio, `ratio ${ratio} is less than 1`);
  const bound = ratioBound(min, max);
  if (ratio !== "" && bound !== undefined && Number(quantityNanos(ratio) ?? 0n) / 1e9 > bound)
    addError("maxLimitRequestRatio", ratio, `ratio ${ratio} is greater than max/min = ${bound.toFixed(6)}`);
  const differs = standard !== "" && request !== "" && compareQuantities(standard, request) !== 0;
  if (differs && !isOvercommitAllowed(name))
    addError(
      "defaultRequest",
      request,
      `default value ${standard} must equal to defaultRequest value ${request} in ${name}`,
    );
  return errors;
}

function ratioBound(min: string, max: string): number | undefined {
  if (min === "" || max === "") return undefined;
  return Number(quantityNanos(max) ?? 0n) / Number(quantityNanos(min) ?? 0n);
}
