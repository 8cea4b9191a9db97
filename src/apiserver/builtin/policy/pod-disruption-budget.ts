// SPDX-License-Identifier: Apache-2.0
import { getKey, type Json, type JsonObject } from "../../json/json.ts";
import { validateLabelSelector } from "../../metadata/label-rules.ts";
import type { Strategy } from "../../resources/strategy.ts";
import { type FieldError, invalidValue } from "../../status/field-error.ts";
import { nonNegative, objectOf, oneOf } from "../checks/field-checks.ts";
import { shownSelector } from "../checks/go-values-in-messages.ts";
import { atMostHundredPercent, validateIntOrPercent } from "../checks/int-or-percent.ts";
import { isSet } from "../checks/object-fields.ts";
import { keepStatus, resetStatus } from "../checks/status-checks.ts";

const evictionPolicies = ["AlwaysAllow", "IfHealthyBudget"];

function validate(object: JsonObject): readonly FieldError[] {
  const spec = objectOf(object, "spec");
  const limits = ["minAvailable", "maxUnavailable"];
  return [
    ...(limits.every((name) => isSet(spec, name))
      ? [invalidValue("spec", shownSpec(spec), "minAvailable and maxUnavailable cannot be both set")]
      : []),
    ...limits.flatMap((name) => {
      const limit = getKey(spec, name);
      return [...validateIntOrPercent(limit, `spec.${name}`), ...atMostHundredPercent(limit, `spec.${name}`)];
    }),
    ...validateLabelSelector(getKey(spec, "selector"), "spec.selector"),
    ...oneOf(getKey(spec, "unhealthyPodEvictionPolicy"), evictionPolicies, "spec.unhealthyPodEvictionPolicy"),
  ];
}

/** Error messages print kube-apiserver's internal form. */
function shownSpec(spec: JsonObject): Json {
  return {
    MinAvailable: getKey(spec, "minAvailable") ?? null,
    Selector: shownSelector(getKey(spec, "selector")),
    MaxUnavailable: getKey(spec, "maxUnavailable") ?? null,
    UnhealthyPodEvictionPolicy: getKey(spec, "unhealthyPodEvictionPolicy") ?? null,
  };
}

const counts = ["disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"];

/** PodDisruptionBudgets. */
export const podDisruptionBudgetStrategy: Strategy = {
  prepareForCreate: resetStatus({ disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 }),
  prepareForUpdate: keepStatus,
  validate,
  validateStatusUpdate: (object) => counts.flatMap((name) => nonNegative(objectOf(object, "status"), "status", name)),
  allowsUnconditionalUpdate: false,
  countsGenerations: true,
};
