// SPDX-License-Identifier: Apache-2.0
// What the kinds that make Pods from a template ask of their selector and of the template besides its own rules.
import { type JsonObject, objectAt, valueAt } from "../../json/json.ts";
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
import { textOf } from "../pod-spec/pod-spec-fields.ts";
import { shownMap, shownSelector } from "./shown-values.ts";

/** The selector is there, well formed, and selects something. `kind` as the sentence names it. */
export function validateSelector(spec: JsonObject, field: string, kind: string): readonly FieldError[] {
  const selector = objectAt(spec, "selector");
  if (selector === undefined) return [requiredValue(`${field}.selector`)];
  return [...validateLabelSelector(selector, `${field}.selector`), ...emptySelector(selector, field, kind)];
}

/** An empty selector would select every Pod of the namespace. */
export function emptySelector(selector: JsonObject | undefined, field: string, kind: string): readonly FieldError[] {
  if (selector === undefined || !isEmptySelector(selector)) return [];
  return [invalidValue(`${field}.selector`, shownSelector(selector), `empty selector is invalid for ${kind}`)];
}

/** Whether the selector can be evaluated at all; an absent one can, and selects nothing. */
export function isUsableSelector(spec: JsonObject): boolean {
  return validateLabelSelector(objectAt(spec, "selector"), "").length === 0;
}

/** The Pods of the template are those that the selector selects. */
export function validateTemplateLabels(spec: JsonObject, field: string): readonly FieldError[] {
  const labels = valueAt(spec, "template", "metadata", "labels");
  if (matchesLabelSelector(objectAt(spec, "selector"), labels)) return [];
  const detail = "`selector` does not match template `labels`";
  return [invalidValue(`${field}.template.metadata.labels`, shownMap(labels), detail)];
}

/** Pods that must run for ever: restarted always, and without a deadline. `kind` as the sentence names it. */
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

/** A warning for a name that cannot be the name of a host, where names of Pods are made from it. */
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
