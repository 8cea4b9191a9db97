// SPDX-License-Identifier: Apache-2.0
// Conversion of autoscalers between v1 and v2. Version v1 has a CPU target only; annotations of the v1 object hold the
// other fields of v2.

import {
  copyJson,
  type Draft,
  type DraftObject,
  deleteKey,
  ensureObject,
  getKey,
  isList,
  isObject,
  type Json,
  type JsonObject,
} from "../../json/json.ts";
import { objectsAt, textOf } from "../../json/json-fields.ts";
import { stringifyJson } from "../../json/stringify-json.ts";
import { objectOf } from "../checks/field-checks.ts";
import { pointedNumber } from "../checks/object-fields.ts";
import { behaviorFromInner, innerBehavior } from "./hpa-behavior.ts";
import { metricFromV1, metricToV1, statusMetricFromV1, statusMetricToV1 } from "./hpa-metric-conversion.ts";

const prefix = "autoscaling.alpha.kubernetes.io/";
/** Holds all metrics but CPU utilization. */
export const metricsAnnotation = `${prefix}metrics`;
const currentMetricsAnnotation = `${prefix}current-metrics`;
const conditionsAnnotation = `${prefix}conditions`;
const behaviorAnnotation = `${prefix}behavior`;
const annotationNames = [metricsAnnotation, currentMetricsAnnotation, conditionsAnnotation, behaviorAnnotation];

/** Converts a v2 autoscaler to v1. The result shares no objects with the original. */
export function hpaV1FromV2(object: JsonObject): DraftObject {
  const spec = objectOf(object, "spec");
  const status = objectOf(object, "status");
  const metrics = objectsAt(spec, "metrics");
  const cpu = metrics.find(isCpuUtilization);
  const current = objectsAt(status, "currentMetrics");
  const currentCpu = current.findLast(
    (metric) => textOf(metric, "resource", "name") === "cpu" && utilizationOf(metric, "current") !== undefined,
  );
  return {
    ...copyJson(object),
    apiVersion: "autoscaling/v1",
    metadata: withAnnotations(object, {
      [metricsAnnotation]: metrics.filter((metric) => !isCpuUtilization(metric)).map(metricToV1),
      [currentMetricsAnnotation]: current.map(statusMetricToV1),
      [behaviorAnnotation]: innerBehavior(getKey(spec, "behavior")),
      [conditionsAnnotation]: objectsAt(status, "conditions"),
    }),
    spec: {
      ...pick(spec, ["scaleTargetRef", "minReplicas", "maxReplicas"]),
      ...known("targetCPUUtilizationPercentage", cpu && utilizationOf(cpu, "target")),
    },
    status: {
      ...pick(status, ["observedGeneration", "lastScaleTime"]),
      currentReplicas: pointedNumber(status, "currentReplicas") ?? 0,
      desiredReplicas: pointedNumber(status, "desiredReplicas") ?? 0,
      ...known("currentCPUUtilizationPercentage", currentCpu && utilizationOf(currentCpu, "current")),
    },
  };
}

/**
 * Converts a v1 autoscaler to v2. Malformed annotations are ignored. The result shares no objects with the original.
 */
export function hpaV2FromV1(object: JsonObject): DraftObject {
  const spec = objectOf(object, "spec");
  const status = objectOf(object, "status");
  const behavior = behaviorFromInner(readAnnotation(object, behaviorAnnotation));
  const conditions = readList(object, conditionsAnnotation);
  const currentMetrics =
    readList(object, currentMetricsAnnotation)?.map(statusMetricFromV1) ?? currentCpuMetrics(status);
  return {
    ...copyJson(object),
    apiVersion: "autoscaling/v2",
    metadata: withAnnotations(object, {}),
    spec: {
      ...pick(spec, ["scaleTargetRef", "minReplicas", "maxReplicas"]),
      metrics: metricsOf(object, spec),
      ...known("behavior", behavior),
    },
    status: {
      ...pick(status, ["observedGeneration", "lastScaleTime"]),
      ...known("currentReplicas", pointedNumber(status, "currentReplicas") || undefined),
      desiredReplicas: pointedNumber(status, "desiredReplicas") ?? 0,
      currentMetrics,
      ...known(
        "conditions",
        conditions?.map((condition) => copyJson(condition)),
      ),
    },
  };
}

function metricsOf(object: JsonObject, spec: JsonObject): Draft[] {
  const others = (readList(object, metricsAnnotation) ?? []).map(metricFromV1);
  const percent = pointedNumber(spec, "targetCPUUtilizationPercentage");
  if (percent === undefined && others.length > 0) return others;
  // 80 is the default target of Kubernetes.
  const target = { type: "Utilization", averageUtilization: percent ?? 80 };
  return [...others, { type: "Resource", resource: { name: "cpu", target } }];
}

function currentCpuMetrics(status: JsonObject): Draft {
  const percent = pointedNumber(status, "currentCPUUtilizationPercentage");
  if (percent === undefined) return null;
  return [{ type: "Resource", resource: { name: "cpu", current: { averageUtilization: percent } } }];
}

function isCpuUtilization(metric: JsonObject): boolean {
  return (
    textOf(metric, "type") === "Resource" &&
    textOf(metric, "resource", "name") === "cpu" &&
    utilizationOf(metric, "target") !== undefined
  );
}

function utilizationOf(metric: JsonObject, where: string): number | bigint | undefined {
  return pointedNumber(metric, "resource", where, "averageUtilization");
}

/** A copy of the metadata whose conversion annotations are replaced by `parts`. Empty parts are omitted. */
function withAnnotations(object: JsonObject, parts: Readonly<Record<string, Json | undefined>>): DraftObject {
  const metadata = copyJson(objectOf(object, "metadata"));
  const annotations = ensureObject(metadata, "annotations");
  for (const name of annotationNames) deleteKey(annotations, name);
  for (const [name, part] of Object.entries(parts)) {
    const isEmpty = part === undefined || part === null || (isList(part) && part.length === 0);
    if (!isEmpty) annotations[name] = stringifyJson(part);
  }
  if (Object.keys(annotations).length === 0) deleteKey(metadata, "annotations");
  return metadata;
}

function readAnnotation(object: JsonObject, name: string): Json | undefined {
  const text = getKey(objectOf(objectOf(object, "metadata"), "annotations"), name);
  if (typeof text !== "string") return undefined;
  try {
    return JSON.parse(text) as Json;
  } catch (reason) {
    if (reason instanceof SyntaxError) return undefined;
    throw reason;
  }
}

function readList(object: JsonObject, name: string): readonly JsonObject[] | undefined {
  const found = readAnnotation(object, name);
  return isList(found) ? found.filter((item) => isObject(item)) : undefined;
}

function pick(object: JsonObject, keys: readonly string[]): DraftObject {
  const picked: DraftObject = {};
  for (const key of keys) {
    const value = getKey(object, key);
    if (value !== undefined) picked[key] = copyJson(value);
  }
  return picked;
}

function known(key: string, value: Draft | undefined): DraftObject {
  return value === undefined ? {} : { [key]: value };
}
