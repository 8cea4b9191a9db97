// SPDX-License-Identifier: Apache-2.0
import { type JsonObject } from "../../json/json.ts";
import { objectAt, objectsAt, textsAt } from "../../json/json-fields.ts";
import { validateLabelSelector } from "../../metadata/label-rules.ts";
import { pathSegmentErrors } from "../../metadata/name-rules.ts";
import type { Strategy } from "../../resources/strategy.ts";
import { type FieldError, invalidValue, requiredValue } from "../../status/field-error.ts";

function validateRules(object: JsonObject, isNamespaced: boolean): readonly FieldError[] {
  return objectsAt(object, "rules").flatMap((rule, index) => validateRule(rule, isNamespaced, `rules[${index}]`));
}

function validateRule(rule: JsonObject, isNamespaced: boolean, field: string): readonly FieldError[] {
  const urls = textsAt(rule, "nonResourceURLs");
  const verbs =
    textsAt(rule, "verbs").length > 0 ? [] : [requiredValue(`${field}.verbs`, "verbs must contain at least one value")];
  if (urls.length > 0) return [...verbs, ...validateUrls(rule, urls, isNamespaced, `${field}.nonResourceURLs`)];
  return [
    ...verbs,
    ...(textsAt(rule, "apiGroups").length > 0
      ? []
      : [requiredValue(`${field}.apiGroups`, "resource rules must supply at least one api group")]),
    ...(textsAt(rule, "resources").length > 0
      ? []
      : [requiredValue(`${field}.resources`, "resource rules must supply at least one resource")]),
  ];
}

function validateUrls(
  rule: JsonObject,
  urls: readonly string[],
  isNamespaced: boolean,
  field: string,
): readonly FieldError[] {
  const names = ["apiGroups", "resources", "resourceNames"];
  const isMixed = names.some((name) => textsAt(rule, name).length > 0);
  return [
    ...(isNamespaced ? [invalidValue(field, urls, "namespaced rules cannot apply to non-resource URLs")] : []),
    ...(isMixed
      ? [invalidValue(field, urls, "rules cannot apply to both regular resources and non-resource URLs")]
      : []),
  ];
}

function validateAggregation(object: JsonObject): readonly FieldError[] {
  const aggregation = objectAt(object, "aggregationRule");
  if (aggregation === undefined) return [];
  const field = "aggregationRule.clusterRoleSelectors";
  const selectors = objectsAt(aggregation, "clusterRoleSelectors");
  if (selectors.length === 0)
    return [requiredValue(field, "at least one clusterRoleSelector required if aggregationRule is non-nil")];
  return selectors.flatMap((selector, index) => {
    const errors = validateLabelSelector(selector, `${field}[${index}]`);
    if (errors.length === 0) return [];
    return [...errors, invalidValue(`${field}[${index}]`, null, "invalid label selector.")];
  });
}

/** Roles. src/rbac decides which users may write which rules. */
export const roleStrategy: Strategy = {
  validate: (object) => validateRules(object, true),
  nameErrors: pathSegmentErrors,
  allowsCreateOnUpdate: true,
};

/** ClusterRoles, also those with an aggregation rule. */
export const clusterRoleStrategy: Strategy = {
  validate: (object) => [...validateRules(object, false), ...validateAggregation(object)],
  nameErrors: pathSegmentErrors,
  allowsCreateOnUpdate: true,
};
