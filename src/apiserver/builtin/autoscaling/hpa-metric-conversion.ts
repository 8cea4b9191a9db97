// SPDX-License-Identifier: Apache-2.0
// Conversion of an autoscaler's metrics between v2 and the form in the annotations of v1.

import {
  copyJson,
  type Draft,
  type DraftObject,
  deleteKey,
  getKey,
  isObject,
  type Json,
  type JsonObject,
} from "../../json/json.ts";
import { objectAt, textOf, valueAt } from "../../json/json-fields.ts";

/** Path of a field in v2 and its name in v1. With `printsZero`, v1 contains `0` for an absent field. */
interface MetricPart {
  readonly path: readonly string[];
  readonly name: string;
  readonly printsZero?: boolean;
}

const metricName: MetricPart = { path: ["metric", "name"], name: "metricName" };
const selector: MetricPart = { path: ["metric", "selector"], name: "selector" };
const described: MetricPart = { path: ["describedObject"], name: "target" };

const targetParts: Readonly<Record<string, readonly MetricPart[]>> = {
  object: [
    described,
    metricName,
    { path: ["target", "value"], name: "targetValue", printsZero: true },
    selector,
    { path: ["target", "averageValue"], name: "averageValue" },
  ],
  pods: [metricName, { path: ["target", "averageValue"], name: "targetAverageValue", printsZero: true }, selector],
  resource: [
    { path: ["name"], name: "name" },
    { path: ["target", "averageUtilization"], name: "targetAverageUtilization" },
    { path: ["target", "averageValue"], name: "targetAverageValue" },
  ],
  containerResource: [
    { path: ["name"], name: "name" },
    { path: ["target", "averageUtilization"], name: "targetAverageUtilization" },
    { path: ["target", "averageValue"], name: "targetAverageValue" },
    { path: ["container"], name: "container" },
  ],
  external: [
    metricName,
    { path: ["metric", "selector"], name: "metricSelector" },
    { path: ["target", "value"], name: "targetValue" },
    { path: ["target", "averageValue"], name: "targetAverageValue" },
  ],
};

const currentParts: Readonly<Record<string, readonly MetricPart[]>> = {
  object: [
    described,
    metricName,
    { path: ["current", "value"], name: "currentValue", printsZero: true },
    selector,
    { path: ["current", "averageValue"], name: "averageValue" },
  ],
  pods: [metricName, { path: ["current", "averageValue"], name: "currentAverageValue", printsZero: true }, selector],
  resource: [
    { path: ["name"], name: "name" },
    { path: ["current", "averageUtilization"], name: "currentAverageUtilization" },
    { path: ["current", "averageValue"], name: "currentAverageValue", printsZero: true },
  ],
  containerResource: [
    { path: ["name"], name: "name" },
    { path: ["current", "averageUtilization"], name: "currentAverageUtilization" },
    { path: ["current", "averageValue"], name: "currentAverageValue", printsZero: true },
    { path: ["container"], name: "container" },
  ],
  external: [
    metricName,
    { path: ["metric", "selector"], name: "metricSelector" },
    { path: ["current", "value"], name: "currentValue", printsZero: true },
    { path: ["current", "averageValue"], name: "currentAverageValue" },
  ],
};

/** Converts a target metric (of the spec) to v1. */
export function metricToV1(metric: JsonObject): Json {
  return toV1(metric, targetParts);
}

/** Converts a current metric (of the status) to v1. */
export function statusMetricToV1(metric: JsonObject): Json {
  return toV1(metric, currentParts);
}

/** Converts a target metric (of the spec) to v2. The fields that are present determine its target type. */
export function metricFromV1(metric: JsonObject): Draft {
  const made = fromV1(metric, targetParts);
  for (const name of Object.keys(targetParts)) {
    const source = getKey(made, name);
    if (!isObject(source)) continue;
    const target = objectAt(source, "target") ?? {};
    // Beside an average, a `value` of 0 stands for an absent one: v1 always prints it.
    if (name === "object" && Object.hasOwn(target, "averageValue") && getKey(target, "value") === "0")
      deleteKey(target, "value");
    source["target"] = { type: targetType(name, target), ...target };
  }
  return made;
}

/** Converts a current metric (of the status) to v2. */
export function statusMetricFromV1(metric: JsonObject): Draft {
  return fromV1(metric, currentParts);
}

function targetType(source: string, target: DraftObject): string {
  if (source === "resource" || source === "containerResource")
    return Object.hasOwn(target, "averageUtilization") ? "Utilization" : "AverageValue";
  if (source === "object") return Object.hasOwn(target, "averageValue") ? "AverageValue" : "Value";
  return source === "external" && Object.hasOwn(target, "value") ? "Value" : "AverageValue";
}

function toV1(metric: JsonObject, parts: Readonly<Record<string, readonly MetricPart[]>>): Json {
  const made: { [key: string]: Json } = { type: textOf(metric, "type") };
  for (const [name, list] of Object.entries(parts)) {
    const source = getKey(metric, name);
    if (!isObject(source)) continue;
    const shown: { [key: string]: Json } = {};
    for (const part of list) {
      const value = valueAt(source, ...part.path) ?? (part.printsZero === true ? "0" : undefined);
      if (value !== undefined) shown[part.name] = value;
    }
    made[name] = shown;
  }
  return made;
}

function fromV1(metric: JsonObject, parts: Readonly<Record<string, readonly MetricPart[]>>): DraftObject {
  const made: DraftObject = { type: textOf(metric, "type") };
  for (const [name, list] of Object.entries(parts)) {
    const source = getKey(metric, name);
    if (!isObject(source)) continue;
    const read: DraftObject = {};
    for (const part of list) {
      const value = getKey(source, part.name);
      if (value !== undefined && value !== null) setAt(read, part.path, copyJson(value));
    }
    made[name] = read;
  }
  return made;
}

/** Sets the value at a path of one or two keys. */
function setAt(object: DraftObject, [first = "", second]: readonly string[], value: Draft): void {
  if (second === undefined) object[first] = value;
  else {
    const inner = object[first];
    object[first] = { ...(isObject(inner) ? inner : {}), [second]: value };
  }
}
