// SPDX-License-Identifier: Apache-2.0
// The changes that an update of a Job may make.

import {
  copyJson,
  type DraftObject,
  deleteKey,
  ensureObject,
  getKey,
  type Json,
  type JsonObject,
  setKey,
} from "../../json/json.ts";
import { countOf, objectAt, objectsAt, textOf, valueAt } from "../../json/json-fields.ts";
import { type FieldError, invalidValue } from "../../status/field-error.ts";
import { immutable, isSameValue, objectOf } from "../checks/field-checks.ts";
import { shownSelector } from "../checks/go-values-in-messages.ts";
import { pointedNumber } from "../checks/object-fields.ts";
import { isConditionTrue } from "./job-conditions.ts";
import { validateJobSpec } from "./job-spec-validation.ts";

/** Validates an update of a Job. As in kube-apiserver, errors of the spec appear a second time. */
export function validateJobUpdate(object: JsonObject, old: JsonObject): readonly FieldError[] {
  const spec = objectOf(object, "spec");
  const before = objectOf(old, "spec");
  const unchanged = (name: string): readonly FieldError[] =>
    immutable(getKey(spec, name), getKey(before, name), `spec.${name}`);
  return [
    ...validateJobSpec(spec, "spec"),
    ...validateCompletions(spec, before),
    ...immutable(shownSelector(getKey(spec, "selector")), shownSelector(getKey(before, "selector")), "spec.selector"),
    ...validateTemplateChange(spec, before, mayChangeTemplate(old)),
    ...["completionMode", "podFailurePolicy", "backoffLimitPerIndex", "managedBy", "successPolicy"].flatMap(unchanged),
  ];
}

/** Completions of an Indexed Job may change if they equal its parallelism. Otherwise they are immutable. */
function validateCompletions(spec: JsonObject, before: JsonObject): readonly FieldError[] {
  const field = "spec.completions";
  const completions = pointedNumber(spec, "completions");
  if (getKey(spec, "completionMode") !== "Indexed")
    return immutable(completions, pointedNumber(before, "completions"), field);
  if (completions === undefined || isSameValue(completions, pointedNumber(before, "completions"))) return [];
  return isSameValue(completions, pointedNumber(spec, "parallelism"))
    ? []
    : [invalidValue(field, completions, "can only be modified in tandem with spec.parallelism")];
}

/** Scheduling and resources in the template stay mutable while a Job is suspended and has no active Pods. */
function mayChangeTemplate(old: JsonObject): boolean {
  const isIdle = valueAt(old, "status", "startTime") === undefined || isConditionTrue(old, "Suspended");
  return valueAt(old, "spec", "suspend") === true && isIdle && countOf(old, "status", "active") === 0;
}

function validateTemplateChange(spec: JsonObject, before: JsonObject, mayChange: boolean): readonly FieldError[] {
  const template = objectOf(spec, "template");
  const oldTemplate = objectOf(before, "template");
  if (!mayChange) return immutable(template, oldTemplate, "spec.template");
  const allowed = copyJson(oldTemplate);
  carryScheduling(allowed, template);
  if (getKey(before, "suspend") !== true) return immutable(template, allowed, "spec.template");
  carryResources(allowed, template);
  return immutable(objectOf(template, "spec"), objectOf(allowed, "spec"), "spec.template.spec");
}

function carryScheduling(allowed: DraftObject, template: JsonObject): void {
  const podSpec = ensureObject(allowed, "spec");
  const wanted = objectOf(template, "spec");
  for (const key of ["nodeSelector", "tolerations", "schedulingGates"]) carry(podSpec, key, getKey(wanted, key));
  const affinity = objectAt(wanted, "affinity");
  const merged = { ...objectAt(podSpec, "affinity") };
  carry(merged, "nodeAffinity", affinity === undefined ? undefined : getKey(affinity, "nodeAffinity"));
  carry(podSpec, "affinity", Object.keys(merged).length === 0 ? affinity : merged);
}

/** Copies the resources of containers whose position and name are unchanged. */
function carryResources(allowed: DraftObject, template: JsonObject): void {
  for (const list of ["containers", "initContainers"]) {
    const wanted = objectsAt(template, "spec", list);
    const own = objectsAt(allowed, "spec", list);
    if (own.length !== wanted.length) continue;
    for (const [index, container] of own.entries()) {
      const other = wanted[index];
      if (other !== undefined && textOf(other, "name") === textOf(container, "name"))
        carry(container, "resources", getKey(other, "resources"));
    }
  }
}

function carry(object: DraftObject, key: string, value: Json | undefined): void {
  if (value === undefined) deleteKey(object, key);
  else setKey(object, key, copyJson(value));
}
