// SPDX-License-Identifier: Apache-2.0
import { getKey, type JsonObject } from "../../json/json.ts";
import { countOf, objectAt, objectsAt, textOf } from "../../json/json-fields.ts";
import { type FieldError, forbiddenField, invalidValue, requiredValue } from "../../status/field-error.ts";
import { objectOf, oneOf } from "../checks/field-checks.ts";
import { pointedNumber } from "../checks/object-fields.ts";
import { quantityNanos } from "../pod-spec/quantity-value.ts";
import { validateMetric, validateReference } from "./hpa-metrics.ts";

// Kubernetes' limits: one hour, and half an hour.
const maxStabilizationSeconds = 3600;
const maxPeriodSeconds = 1800;

/** Validates a v2 autoscaler. */
export function validateAutoscaler(object: JsonObject): readonly FieldError[] {
  const spec = objectOf(object, "spec");
  const reference = objectOf(spec, "scaleTargetRef");
  return [
    ...validateReplicas(spec),
    ...validateReference(reference, "spec.scaleTargetRef", textOf(reference, "kind") === "ReplicationController"),
    ...validateMetrics(spec),
    ...["scaleUp", "scaleDown"].flatMap((direction) => {
      const rules = objectAt(spec, "behavior", direction);
      return rules === undefined ? [] : validateRules(rules, `spec.behavior.${direction}`);
    }),
  ];
}

function validateReplicas(spec: JsonObject): readonly FieldError[] {
  const min = pointedNumber(spec, "minReplicas");
  const max = countOf(spec, "maxReplicas");
  const errors: FieldError[] = [];
  if (min !== undefined && min < 1)
    errors.push(invalidValue("spec.minReplicas", min, "must be greater than or equal to 1"));
  if (max === 0) errors.push(requiredValue("spec.maxReplicas", "must be set and greater than 0"));
  if (max < 0) errors.push(invalidValue("spec.maxReplicas", max, "must be greater than or equal to 1"));
  if (min !== undefined && max < min)
    errors.push(invalidValue("spec.maxReplicas", max, "must be greater than or equal to `minReplicas`"));
  return errors;
}

function validateMetrics(spec: JsonObject): readonly FieldError[] {
  const metrics = objectsAt(spec, "metrics");
  const reachesZero = metrics.some((metric) => ["Object", "External"].includes(textOf(metric, "type")));
  const text = "must specify at least one Object or External metric to support scaling to zero replicas";
  return [
    ...metrics.flatMap((metric, index) => validateMetric(metric, `spec.metrics[${index}]`)),
    ...(pointedNumber(spec, "minReplicas") === 0 && !reachesZero ? [forbiddenField("spec.metrics", text)] : []),
  ];
}

function validateRules(rules: JsonObject, field: string): readonly FieldError[] {
  const window = pointedNumber(rules, "stabilizationWindowSeconds");
  const tolerance = getKey(rules, "tolerance");
  const policies = objectsAt(rules, "policies");
  const at = `${field}.stabilizationWindowSeconds`;
  const errors: FieldError[] = [];
  if (window !== undefined && window < 0)
    errors.push(invalidValue(at, window, "must be greater than or equal to zero"));
  if (window !== undefined && window > maxStabilizationSeconds)
    errors.push(invalidValue(at, window, `must be less than or equal to ${maxStabilizationSeconds}`));
  errors.push(...oneOf(getKey(rules, "selectPolicy"), ["Disabled", "Max", "Min"], `${field}.selectPolicy`));
  if (policies.length === 0) errors.push(requiredValue(`${field}.policies`, "must specify at least one Policy"));
  for (const [index, policy] of policies.entries())
    errors.push(...validatePolicy(policy, `${field}.policies[${index}]`));
  if (typeof tolerance === "string" && (quantityNanos(tolerance) ?? 0n) < 0n)
    errors.push(invalidValue(`${field}.tolerance`, tolerance, "must be greater than or equal to 0"));
  return errors;
}

function validatePolicy(policy: JsonObject, field: string): readonly FieldError[] {
  const value = countOf(policy, "value");
  const period = countOf(policy, "periodSeconds");
  const positive = "must be greater than zero";
  return [
    ...oneOf(textOf(policy, "type"), ["Percent", "Pods"], `${field}.type`),
    ...(value <= 0 ? [invalidValue(`${field}.value`, value, positive)] : []),
    ...(period <= 0 ? [invalidValue(`${field}.periodSeconds`, period, positive)] : []),
    ...(period > maxPeriodSeconds
      ? [invalidValue(`${field}.periodSeconds`, period, `must be less than or equal to ${maxPeriodSeconds}`)]
      : []),
  ];
}
