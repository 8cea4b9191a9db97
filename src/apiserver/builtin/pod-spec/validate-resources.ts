// SPDX-License-Identifier: Apache-2.0
import { getKey, type JsonObject } from "../../json/json.ts";
import { objectAt, objectsAt, textOf } from "../../json/json-fields.ts";
import { sortedKeys } from "../../metadata/label-rules.ts";
import { dnsLabelErrors } from "../../metadata/name-rules.ts";
import {
  duplicateValue,
  type FieldError,
  forbiddenField,
  invalidValue,
  notFoundValue,
  requiredValue,
} from "../../status/field-error.ts";
import { compareQuantities, isWholeQuantity, quantityNanos } from "./quantity-value.ts";
import {
  isHugePages,
  isIntegerResource,
  isOvercommitAllowed,
  validateContainerResourceName,
} from "./resource-names.ts";
import { invalidEach } from "./text-rules.ts";

/** Validates a resource name. */
export type ResourceNameRule = (name: string, field: string) => readonly FieldError[];

/**
 * Validates `resources` of a container: names, quantities, and requests against limits. Errors are sorted by name;
 * kube-apiserver has no fixed order.
 */
export function validateResources(
  resources: JsonObject | undefined,
  field: string,
  claimNames: ReadonlySet<string>,
  nameRule: ResourceNameRule = validateContainerResourceName,
): readonly FieldError[] {
  if (resources === undefined) return [];
  const limits = objectAt(resources, "limits") ?? {};
  const requests = objectAt(resources, "requests") ?? {};
  const errors: FieldError[] = [];
  for (const name of sortedKeys(limits))
    errors.push(...validateAmount(name, limits, `${field}.limits[${name}]`, nameRule));
  for (const name of sortedKeys(requests)) {
    const at = `${field}.requests[${name}]`;
    const huge = validateHugePages(name, textOf(requests, name), at);
    errors.push(...nameRule(name, at), ...validateQuantity(name, textOf(requests, name), at));
    errors.push(...validateRequest(name, requests, limits, field), ...huge);
  }
  const names = [...Object.keys(limits), ...Object.keys(requests)];
  if (names.some(isHugePages) && !names.includes("cpu") && !names.includes("memory"))
    errors.push(forbiddenField(field, "HugePages require cpu or memory"));
  errors.push(...validateClaims(objectsAt(resources, "claims"), `${field}.claims`, claimNames));
  return errors;
}

/** Rejects a negative quantity, and a fraction of a resource that is counted in integers. */
export function validateQuantity(name: string, amount: string, field: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  if ((quantityNanos(amount) ?? 0n) < 0n)
    errors.push(invalidValue(field, amount, "must be greater than or equal to 0"));
  if (isIntegerResource(name) && !isWholeQuantity(amount))
    errors.push(invalidValue(field, amount, "must be an integer"));
  return errors;
}

function validateAmount(
  name: string,
  list: JsonObject,
  field: string,
  nameRule: ResourceNameRule,
): readonly FieldError[] {
  const amount = textOf(list, name);
  return [
    ...nameRule(name, field),
    ...validateQuantity(name, amount, field),
    ...validateHugePages(name, amount, field),
  ];
}

function validateRequest(name: string, requests: JsonObject, limits: JsonObject, field: string): readonly FieldError[] {
  const request = textOf(requests, name);
  const limit = getKey(limits, name);
  if (typeof limit !== "string") {
    if (isOvercommitAllowed(name)) return [];
    return [requiredValue(`${field}.limits`, "Limit must be set for non overcommitable resources")];
  }
  const order = compareQuantities(request, limit);
  if (order !== 0 && !isOvercommitAllowed(name))
    return [invalidValue(`${field}.requests`, request, `must be equal to ${name} limit of ${limit}`)];
  if (order <= 0) return [];
  return [invalidValue(`${field}.requests`, request, `must be less than or equal to ${name} limit of ${limit}`)];
}

function validateHugePages(name: string, amount: string, field: string): readonly FieldError[] {
  if (!isHugePages(name)) return [];
  const pageSize = quantityNanos(name.slice("hugepages-".length)) ?? 0n;
  if (pageSize > 0n && (quantityNanos(amount) ?? 0n) % pageSize === 0n) return [];
  return [invalidValue(field, amount, `${amount} is not positive integer multiple of ${name}`)];
}

function validateClaims(
  claims: readonly JsonObject[],
  field: string,
  claimNames: ReadonlySet<string>,
): readonly FieldError[] {
  const seen = new Set<string>();
  return claims.flatMap((claim, index) => {
    const at = `${field}[${index}]`;
    const name = textOf(claim, "name");
    if (name === "") return [requiredValue(at)];
    const request = textOf(claim, "request");
    const key = request === "" ? name : `${name}/${request}`;
    const errors: FieldError[] = [];
    if (request !== "" && !seen.has(name))
      errors.push(...invalidEach(`${at}.request`, request, dnsLabelErrors(request, false)));
    const isRepeated =
      seen.has(name) || seen.has(key) || (request === "" && [...seen].some((one) => one.startsWith(`${name}/`)));
    if (isRepeated) errors.push(duplicateValue(at, seen.has(name) ? name : key));
    seen.add(key);
    if (!claimNames.has(name)) errors.push(notFoundValue(at, name));
    return errors;
  });
}
