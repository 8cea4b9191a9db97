// SPDX-License-Identifier: Apache-2.0
// Rules for the selector and the template of kinds that create Pods, besides those of the template itself.

import { type JsonObject } from "../../json/json.ts";
import { objectAt, textOf, valueAt } from "../../json/json-fields.ts";
import { validateLabelSelector } from "../../metadata/label-rules.ts";
import { matchesLabelSelector } from "../../metadata/label-selector-object.ts";
import { dnsLabelErrors } from "../../metadata/name-rules.ts";
import {
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupportedValue,
  requiredValue,
} from "../../status/field-error.ts";
import { podSpecWarnings } from "../pod-spec/pod-spec-warnings.ts";
import { immutable, isSameValue, objectOf } from "./field-checks.ts";
import { shownMap, shownSelector } from "./go-values-in-messages.ts";

/** Validates that the selector is present, well formed and not empty. `kind` is the name in the error message. */
export function validateSelector(spec: JsonObject, field: string, kind: string): readonly FieldError[] {
  const selector = objectAt(spec, "selector");
  if (selector === undefined) return [requiredValue(`${field}.selector`)];
  return [...validateLabelSelector(selector, `${field}.selector`), ...emptySelector(selector, field, kind)];
}

/** Returns an error for an empty selector: it would select every Pod of the namespace. */
export function emptySelector(selector: JsonObject | undefined, field: string, kind: string): readonly FieldError[] {
  if (selector === undefined || !isEmptySelector(selector)) return [];
  return [invalidValue(`${field}.selector`, shownSelector(selector), `empty selector is invalid for ${kind}`)];
}

/** Returns an error if an update changes the selector. */
export function validateSelectorUnchanged(object: JsonObject, old: JsonObject): readonly FieldError[] {
  const [selector, oldSelector] = [object, old].map((each) => shownSelector(valueAt(each, "spec", "selector")));
  return immutable(selector, oldSelector, "spec.selector");
}

/** Whether the selector is well formed. An absent one is, and selects nothing. */
export function isUsableSelector(spec: JsonObject): boolean {
  return validateLabelSelector(objectAt(spec, "selector"), "").length === 0;
}

/** Returns an error if the selector does not match the labels of the template. */
export function validateTemplateLabels(spec: JsonObject, field: string): readonly FieldError[] {
  const labels = valueAt(spec, "template", "metadata", "labels");
  if (matchesLabelSelector(objectAt(spec, "selector"), labels)) return [];
  const detail = "`selector` does not match template `labels`";
  return [invalidValue(`${field}.template.metadata.labels`, shownMap(labels), detail)];
}

/** Requires restartPolicy Always and forbids a deadline. `kind` is the name in the error message. */
export function validateEndlessPods(spec: JsonObject, field: string, kind: string): readonly FieldError[] {
  const podField = `${field}.template.spec`;
  const restartPolicy = textOf(spec, "template", "spec", "restartPolicy");
  const deadline = valueAt(spec, "template", "spec", "activeDeadlineSeconds") ?? null;
  return [
    ...(restartPolicy === "Always" ? [] : [notSupportedValue(`${podField}.restartPolicy`, restartPolicy, ["Always"])]),
    ...(deadline === null
      ? []
      : [forbiddenField(`${podField}.activeDeadlineSeconds`, `activeDeadlineSeconds in ${kind} is not Supported`)]),
  ];
}

/** Warns of a name that is not a valid hostname, for kinds whose Pods are named after it. */
export function podNameWarnings(object: JsonObject): readonly string[] {
  const errors = dnsLabelErrors(textOf(object, "metadata", "name"), false);
  if (errors.length === 0) return [];
  const advice = "this is used in Pod names and hostnames, which can result in surprising behavior";
  return [`metadata.name: ${advice}; a DNS label is recommended: [${errors.join(" ")}]`];
}

function isEmptySelector(selector: JsonObject): boolean {
  const labels = objectAt(selector, "matchLabels");
  const expressions = valueAt(selector, "matchExpressions");
  return (
    (labels === undefined || Object.keys(labels).length === 0) &&
    (!Array.isArray(expressions) || expressions.length === 0)
  );
}

/** Warnings about `spec.template`; none for an update that does not change the spec. */
export function templateWarnings(object: JsonObject, old: JsonObject | undefined): readonly string[] {
  const spec = objectOf(object, "spec");
  if (old !== undefined && isSameValue(spec, objectOf(old, "spec"))) return [];
  return podSpecWarnings(objectOf(spec, "template"), "spec.template");
}

/** Warnings about a Deployment or ReplicaSet: its name when it is created, and its template. */
export function workloadWarnings(object: JsonObject, old: JsonObject | undefined): readonly string[] {
  return [...(old === undefined ? podNameWarnings(object) : []), ...templateWarnings(object, old)];
}
