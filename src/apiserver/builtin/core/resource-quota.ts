// SPDX-License-Identifier: Apache-2.0
import { type Json, type JsonObject } from "../../json/json.ts";
import { objectAt, objectsAt, textOf, textsAt, valueAt } from "../../json/json-fields.ts";
import { sortedKeys } from "../../metadata/label-rules.ts";
import type { Strategy } from "../../resources/strategy.ts";
import { type FieldError, invalidValue, requiredValue } from "../../status/field-error.ts";
import { keepStatus, resetStatus } from "../checks/status-checks.ts";
import { compareQuantities, roundResourceList } from "../pod-spec/quantity-value.ts";
import { validateQuotaResourceName } from "../pod-spec/resource-names.ts";
import { validateQuantity } from "../pod-spec/validate-resources.ts";

const podCounts = ["pods", "cpu", "memory", "limits.cpu", "limits.memory", "requests.cpu", "requests.memory"];

/** The standard resources that each scope applies to. Extended resources are not restricted by scope. */
const scopeResources: Readonly<Record<string, readonly string[]>> = {
  Terminating: podCounts,
  NotTerminating: podCounts,
  NotBestEffort: podCounts,
  PriorityClass: podCounts,
  CrossNamespacePodAffinity: podCounts,
  BestEffort: ["pods"],
  VolumeAttributesClass: ["persistentvolumeclaims", "requests.storage"],
};

const existsOnly = new Set([
  "BestEffort",
  "NotBestEffort",
  "Terminating",
  "NotTerminating",
  "CrossNamespacePodAffinity",
]);

const conflicts = [
  ["BestEffort", "NotBestEffort"],
  ["Terminating", "NotTerminating"],
];

/** ResourceQuotas: limits for the total usage of a namespace. */
export const resourceQuotaStrategy: Strategy = {
  setDefaults(object) {
    for (const path of [
      ["spec", "hard"],
      ["status", "hard"],
      ["status", "used"],
    ])
      roundResourceList(objectAt(object, ...path));
  },
  prepareForCreate: resetStatus({}),
  prepareForUpdate: keepStatus,
  validate: (object) => [
    ...validateList(objectAt(object, "spec", "hard"), "spec.hard"),
    ...validateScopes(object),
    ...validateScopeSelector(object),
  ],
  validateUpdate(object, old) {
    const before = [...textsAt(old, "spec", "scopes")].sort();
    const after = [...textsAt(object, "spec", "scopes")].sort();
    if (before.join() === after.join()) return [];
    return [invalidValue("spec.scopes", valueAt(object, "spec", "scopes") ?? null, "field is immutable")];
  },
  warnings: (object, old) => (old === undefined ? requestsAboveLimits(objectAt(object, "spec", "hard") ?? {}) : []),
  validateStatusUpdate: (object) => [
    ...validateList(objectAt(object, "status", "hard"), "status.hard"),
    ...validateList(objectAt(object, "status", "used"), "status.used"),
  ],
};

function validateList(list: JsonObject | undefined, field: string): readonly FieldError[] {
  if (list === undefined) return [];
  return sortedKeys(list).flatMap((name) => [
    ...validateQuotaResourceName(name, `${field}[${name}]`),
    ...validateQuantity(name, textOf(list, name), `${field}[${name}]`),
  ]);
}

function requestsAboveLimits(hard: JsonObject): readonly string[] {
  return ["cpu", "memory", "storage", "ephemeral-storage"].flatMap((resource) => {
    const names =
      resource === "cpu" || resource === "memory" ? [`requests.${resource}`, resource] : [`requests.${resource}`];
    const name = names.find((each) => textOf(hard, each) !== "");
    const limit = textOf(hard, `limits.${resource}`);
    if (name === undefined || limit === "" || compareQuantities(textOf(hard, name), limit) <= 0) return [];
    return [`ResourceQuota ${name} (${textOf(hard, name)}) should be less than limits.${resource} (${limit})`];
  });
}

function validateScopes(object: JsonObject): readonly FieldError[] {
  const scopes = textsAt(object, "spec", "scopes");
  const shown: Json = [...scopes];
  const at = "spec.scopes";
  const errors: FieldError[] = [];
  for (const scope of scopes) {
    if (!Object.hasOwn(scopeResources, scope)) errors.push(invalidValue(at, shown, "unsupported scope"));
    for (const _ of uncountable(object, scope))
      errors.push(invalidValue(at, shown, "unsupported scope applied to resource"));
  }
  return [...errors, ...validatePairs(scopes, shown, at)];
}

function validateScopeSelector(object: JsonObject): readonly FieldError[] {
  const at = "spec.scopeSelector.matchExpressions";
  const requirements = objectsAt(object, "spec", "scopeSelector", "matchExpressions");
  const errors: FieldError[] = [];
  for (const requirement of requirements) {
    const scope = textOf(requirement, "scopeName");
    const operator = textOf(requirement, "operator");
    if (!Object.hasOwn(scopeResources, scope)) errors.push(invalidValue(`${at}.scopeName`, scope, "unsupported scope"));
    for (const _ of uncountable(object, scope))
      errors.push(
        invalidValue(at, valueAt(object, "spec", "scopeSelector") ?? null, "unsupported scope applied to resource"),
      );
    if (existsOnly.has(scope) && operator !== "Exists")
      errors.push(
        invalidValue(
          `${at}.operator`,
          operator,
          "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity",
        ),
      );
    errors.push(...validateOperator(operator, textsAt(requirement, "values"), at));
  }
  const scopes = requirements.map((requirement) => textOf(requirement, "scopeName"));
  return [...errors, ...validatePairs(scopes, valueAt(object, "spec", "scopes") ?? null, at)];
}

function validateOperator(operator: string, values: readonly string[], field: string): readonly FieldError[] {
  switch (operator) {
    case "In":
    case "NotIn":
      if (values.length > 0) return [];
      return [
        requiredValue(
          `${field}.values`,
          "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
        ),
      ];
    case "Exists":
    case "DoesNotExist":
      if (values.length === 0) return [];
      return [
        invalidValue(
          `${field}.values`,
          [...values],
          "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector",
        ),
      ];
    default:
      return [invalidValue(`${field}.operator`, operator, "not a valid selector operator")];
  }
}

function validatePairs(scopes: readonly string[], shown: Json, field: string): readonly FieldError[] {
  return conflicts
    .filter((pair) => pair.every((scope) => scopes.includes(scope)))
    .map(() => invalidValue(field, shown, "conflicting scopes"));
}

/** The standard resources of the quota that the scope does not apply to. */
function uncountable(object: JsonObject, scope: string): readonly string[] {
  const countable = Object.hasOwn(scopeResources, scope) ? scopeResources[scope] : undefined;
  if (countable === undefined) return [];
  return sortedKeys(objectAt(object, "spec", "hard") ?? {}).filter(
    (name) => !name.includes("/") && validateQuotaResourceName(name, "").length === 0 && !countable.includes(name),
  );
}
