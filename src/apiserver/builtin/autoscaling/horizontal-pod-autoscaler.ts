// SPDX-License-Identifier: Apache-2.0
import {
  copyJson,
  type DraftObject,
  ensureObject,
  getKey,
  isObject,
  type Json,
  type JsonObject,
} from "../../json/json.ts";
import { objectsAt } from "../../json/json-fields.ts";
import type { Strategy } from "../../resources/strategy.ts";
import type { FieldError } from "../../status/field-error.ts";
import { nonNegative, objectOf } from "../checks/field-checks.ts";
import { setIfAbsent } from "../checks/object-fields.ts";
import { keepStatus, resetStatus } from "../checks/status-checks.ts";
import { hpaV2FromV1, metricsAnnotation } from "./hpa-conversion.ts";
import { validateAutoscaler } from "./hpa-validation.ts";

/** The default target of Kubernetes, as a percentage of requested CPU. */
const defaultCpuPercent = 80;

/**
 * Kubernetes' defaults. Every 15 seconds, scale up by four Pods or 100%, whichever is more, or scale down by up to
 * 100%.
 */
const scaleUpDefaults: JsonObject = {
  stabilizationWindowSeconds: 0,
  selectPolicy: "Max",
  policies: [
    { type: "Pods", value: 4, periodSeconds: 15 },
    { type: "Percent", value: 100, periodSeconds: 15 },
  ],
};
const scaleDownDefaults: JsonObject = {
  selectPolicy: "Max",
  policies: [{ type: "Percent", value: 100, periodSeconds: 15 }],
};

function setDefaults(object: DraftObject): void {
  const spec = ensureObject(object, "spec");
  setIfAbsent(spec, "minReplicas", 1);
  if (objectsAt(spec, "metrics").length === 0) {
    const target = { type: "Utilization", averageUtilization: defaultCpuPercent };
    spec["metrics"] = [{ type: "Resource", resource: { name: "cpu", target } }];
  }
  const behavior = getKey(spec, "behavior");
  if (!isObject(behavior)) return;
  fillRules(ensureObject(behavior, "scaleUp"), scaleUpDefaults);
  fillRules(ensureObject(behavior, "scaleDown"), scaleDownDefaults);
}

function fillRules(rules: DraftObject, defaults: JsonObject): void {
  for (const [key, value] of Object.entries(defaults)) setIfAbsent(rules, key, copyJson(value));
}

function setDefaultsV1(object: DraftObject): void {
  const spec = ensureObject(object, "spec");
  setIfAbsent(spec, "minReplicas", 1);
  const hasMetrics = annotationOf(object, metricsAnnotation) !== undefined;
  if (!hasMetrics) setIfAbsent(spec, "targetCPUUtilizationPercentage", defaultCpuPercent);
}

function annotationOf(object: JsonObject, name: string): Json | undefined {
  return getKey(objectOf(objectOf(object, "metadata"), "annotations"), name);
}

function validateStatusUpdate(object: JsonObject): readonly FieldError[] {
  const status = objectOf(object, "status");
  return ["currentReplicas", "desiredReplicas"].flatMap((name) => nonNegative(status, "status", name));
}

/** HorizontalPodAutoscalers in their storage version, v2. They have no generation. */
export const autoscalerStrategy: Strategy = {
  setDefaults,
  prepareForCreate: resetStatus({ desiredReplicas: 0, currentMetrics: null }),
  prepareForUpdate: keepStatus,
  validate: validateAutoscaler,
  validateStatusUpdate,
};

/** HorizontalPodAutoscalers in version v1. They are validated as the v2 object that they convert to. */
export const autoscalerV1Strategy: Strategy = {
  setDefaults: setDefaultsV1,
  prepareForCreate: resetStatus({ currentReplicas: 0, desiredReplicas: 0 }),
  prepareForUpdate: keepStatus,
  validate: (object) => validateAutoscaler(hpaV2FromV1(object)),
  validateStatusUpdate,
};
