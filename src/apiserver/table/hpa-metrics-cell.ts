// SPDX-License-Identifier: Apache-2.0
// The metrics of a HorizontalPodAutoscaler in the form of autoscaling/v2. Version 1 has one metric; it stores the
// others as JSON in annotations.

import { type Json, type JsonObject } from "../json/json.ts";
import { numberAt, objectAt, objectsAt, textAt, valueAt } from "../json/json-fields.ts";

/** Targets, and the measured values at the same indexes. */
export interface AutoscalerMetrics {
  readonly specs: readonly JsonObject[];
  readonly statuses: readonly JsonObject[];
}

/** Version 1's default target. */
const defaultCpuUtilization = 80;

const specsAnnotation = "autoscaling.alpha.kubernetes.io/metrics";
const statusesAnnotation = "autoscaling.alpha.kubernetes.io/current-metrics";

/** The key of each metric type's part: `Resource` has `resource`. */
export const metricKeys: ReadonlyMap<string, string> = new Map([
  ["External", "external"],
  ["Pods", "pods"],
  ["Object", "object"],
  ["Resource", "resource"],
  ["ContainerResource", "containerResource"],
]);

export function metricsOfVersion2(autoscaler: JsonObject): AutoscalerMetrics {
  return {
    specs: objectsAt(autoscaler, "spec", "metrics"),
    statuses: objectsAt(autoscaler, "status", "currentMetrics"),
  };
}

export function metricsOfVersion1(autoscaler: JsonObject): AutoscalerMetrics {
  const cpuTarget = numberAt(autoscaler, "spec", "targetCPUUtilizationPercentage");
  const others = parseAnnotation(autoscaler, specsAnnotation)?.map(toSpec) ?? [];
  const specs = cpuTarget === undefined ? others : [...others, cpuMetric("target", cpuTarget)];
  const cpuCurrent = numberAt(autoscaler, "status", "currentCPUUtilizationPercentage");
  return {
    specs: specs.length === 0 ? [cpuMetric("target", defaultCpuUtilization)] : specs,
    statuses:
      parseAnnotation(autoscaler, statusesAnnotation)?.map(toStatus) ??
      (cpuCurrent === undefined ? [] : [cpuMetric("current", cpuCurrent)]),
  };
}

function cpuMetric(key: "target" | "current", averageUtilization: number): JsonObject {
  return { type: "Resource", resource: { name: "cpu", [key]: { averageUtilization } } };
}

/** The objects in an annotation's list; undefined if it is absent or invalid. */
function parseAnnotation(autoscaler: JsonObject, annotation: string): readonly JsonObject[] | undefined {
  const text = textAt(autoscaler, "metadata", "annotations", annotation);
  if (text === undefined) return undefined;
  try {
    return objectsAt({ metrics: JSON.parse(text) as Json }, "metrics");
  } catch (reason) {
    if (reason instanceof SyntaxError) return undefined;
    throw reason;
  }
}

function toSpec(metric: JsonObject): JsonObject {
  return convert(metric, "target", (part, type) => ({
    ...take("averageUtilization", part, "targetAverageUtilization"),
    ...take("averageValue", part, type === "Object" ? "averageValue" : "targetAverageValue"),
    ...take("value", part, "targetValue"),
  }));
}

function toStatus(metric: JsonObject): JsonObject {
  return convert(metric, "current", (part, type) => ({
    ...take("averageUtilization", part, "currentAverageUtilization"),
    ...take("averageValue", part, type === "Object" ? "averageValue" : "currentAverageValue"),
    ...take("value", part, "currentValue"),
  }));
}

function convert(
  metric: JsonObject,
  key: "target" | "current",
  values: (part: JsonObject, type: string) => JsonObject,
): JsonObject {
  const type = textAt(metric, "type") ?? "";
  const place = metricKeys.get(type);
  const part = place === undefined ? undefined : objectAt(metric, place);
  if (place === undefined || part === undefined) return { type };
  return { type, [place]: { name: textAt(part, "name") ?? "", [key]: values(part, type) } };
}

function take(key: string, part: JsonObject, from: string): JsonObject {
  const value = valueAt(part, from);
  return value === undefined ? {} : { [key]: value };
}
