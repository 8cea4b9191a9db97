// SPDX-License-Identifier: Apache-2.0
import { getKey, isObject, type JsonObject } from "../../json/json.ts";
import { textOf } from "../../json/json-fields.ts";
import { dnsLabelErrors, pathSegmentErrors } from "../../metadata/name-rules.ts";
import {
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupportedValue,
  requiredValue,
} from "../../status/field-error.ts";
import { objectOf } from "../checks/field-checks.ts";
import { isSet, pointedNumber } from "../checks/object-fields.ts";
import { quantityNanos } from "../pod-spec/quantity-value.ts";
import { validateContainerResourceName } from "../pod-spec/resource-names.ts";
import { invalidEach } from "../pod-spec/text-rules.ts";

/** Metric types and the field of each, in the order in which kube-apiserver checks the fields. */
const sources = new Map([
  ["Object", "object"],
  ["External", "external"],
  ["Pods", "pods"],
  ["Resource", "resource"],
  ["ContainerResource", "containerResource"],
]);
const sourceTypes = ["ContainerResource", "External", "Object", "Pods", "Resource"];

/** Validates one metric of an autoscaler: its type, and that only the field of this type is set. */
export function validateMetric(metric: JsonObject, field: string): readonly FieldError[] {
  const type = textOf(metric, "type");
  const expected = sources.get(type);
  const present = [...sources.values()].filter((name) => isObject(getKey(metric, name)));
  const [first] = present;
  const unsupported = notSupportedValue(`${field}.type`, type, sourceTypes);
  const missing = "must populate information for the given metric source";
  return [
    ...(type === "" ? [requiredValue(`${field}.type`, "must specify a metric source type")] : []),
    ...(expected === undefined ? [unsupported] : []),
    ...(first === undefined ? [] : validateSource(first, objectOf(metric, first), `${field}.${first}`)),
    ...(expected === undefined ? [unsupported] : []),
    ...(expected !== undefined && !present.includes(expected) ? [requiredValue(`${field}.${expected}`, missing)] : []),
    ...(present.length === 1
      ? []
      : present
          .filter((name) => name !== expected)
          .map((name) => forbiddenField(`${field}.${name}`, "must populate the given metric source only"))),
  ];
}

/** Validates a reference by apiVersion, kind and name. With `mayBeCore` false, the core group is an error. */
export function validateReference(reference: JsonObject, field: string, mayBeCore: boolean): readonly FieldError[] {
  const apiVersion = textOf(reference, "apiVersion");
  const error = apiVersionError(apiVersion, mayBeCore);
  return [
    ...["kind", "name"].flatMap((key) => {
      const text = textOf(reference, key);
      if (text === "") return [requiredValue(`${field}.${key}`)];
      return invalidEach(`${field}.${key}`, text, pathSegmentErrors(text, false));
    }),
    ...(error === undefined ? [] : [invalidValue(`${field}.apiVersion`, apiVersion, error)]),
  ];
}

function apiVersionError(apiVersion: string, mayBeCore: boolean): string | undefined {
  const parts = apiVersion === "/" ? [] : apiVersion.split("/");
  if (parts.length > 2) return `unexpected GroupVersion string: ${apiVersion}`;
  const hasGroup = parts.length === 2 && parts[0] !== "";
  return hasGroup || mayBeCore ? undefined : "apiVersion must specify API group";
}

function validateSource(name: string, source: JsonObject, field: string): readonly FieldError[] {
  const target = objectOf(source, "target");
  const targetErrors = validateTarget(target, `${field}.target`);
  switch (name) {
    case "object":
      return [
        ...validateReference(objectOf(source, "describedObject"), `${field}.describedObject`, true),
        ...validateIdentifier(source, field),
        ...targetErrors,
        ...oneNeeded(
          target,
          ["value", "averageValue"],
          `${field}.target.averageValue`,
          "must set either a target value or averageValue",
        ),
      ];
    case "external":
      return [
        ...validateIdentifier(source, field),
        ...targetErrors,
        ...oneNeeded(
          target,
          ["value", "averageValue"],
          `${field}.target.averageValue`,
          "must set either a target value for metric or a per-pod target",
        ),
        ...(isSet(target, "value") && isSet(target, "averageValue")
          ? [forbiddenField(`${field}.target.value`, "may not set both a target value for metric and a per-pod target")]
          : []),
      ];
    case "pods":
      return [
        ...validateIdentifier(source, field),
        ...targetErrors,
        ...oneNeeded(
          target,
          ["averageValue"],
          `${field}.target.averageValue`,
          "must specify a positive target averageValue",
        ),
      ];
    default:
      return [...validateResource(name, source, field), ...targetErrors, ...validateResourceTarget(target, field)];
  }
}

function validateResource(name: string, source: JsonObject, field: string): readonly FieldError[] {
  const resource = textOf(source, "name");
  const missing = resource === "" ? [requiredValue(`${field}.name`, "must specify a resource name")] : [];
  if (name === "resource") return missing;
  const container = textOf(source, "container");
  return [
    ...missing,
    ...(resource === "" ? [] : validateContainerResourceName(resource, `${field}.name`)),
    ...(container === ""
      ? [requiredValue(`${field}.container`, "must specify a container")]
      : invalidEach(`${field}.container`, container, dnsLabelErrors(container, false))),
  ];
}

function validateResourceTarget(target: JsonObject, field: string): readonly FieldError[] {
  const keys = ["averageUtilization", "averageValue"];
  return [
    ...oneNeeded(
      target,
      keys,
      `${field}.target.averageUtilization`,
      "must set either a target raw value or a target utilization",
    ),
    ...(keys.every((key) => isSet(target, key))
      ? [forbiddenField(`${field}.target.averageValue`, "may not set both a target raw value and a target utilization")]
      : []),
  ];
}

function oneNeeded(target: JsonObject, keys: readonly string[], field: string, detail: string): readonly FieldError[] {
  return keys.some((key) => isSet(target, key)) ? [] : [requiredValue(field, detail)];
}

function validateIdentifier(source: JsonObject, field: string): readonly FieldError[] {
  const name = textOf(source, "metric", "name");
  if (name === "") return [requiredValue(`${field}.metric.name`, "must specify a metric name")];
  return invalidEach(`${field}.metric.name`, name, pathSegmentErrors(name, false));
}

function validateTarget(target: JsonObject, field: string): readonly FieldError[] {
  const type = textOf(target, "type");
  const utilization = pointedNumber(target, "averageUtilization");
  return [
    ...(type === "" ? [requiredValue(`${field}.type`, "must specify a metric target type")] : []),
    ...(["Utilization", "Value", "AverageValue"].includes(type)
      ? []
      : [invalidValue(`${field}.type`, type, "must be either Utilization, Value, or AverageValue")]),
    ...["value", "averageValue"].flatMap((key) => {
      const amount = getKey(target, key);
      const isPositive = typeof amount !== "string" || (quantityNanos(amount) ?? 1n) > 0n;
      return isPositive ? [] : [invalidValue(`${field}.${key}`, amount, "must be positive")];
    }),
    ...(utilization !== undefined && utilization < 1
      ? [invalidValue(`${field}.averageUtilization`, utilization, "must be greater than 0")]
      : []),
  ];
}
