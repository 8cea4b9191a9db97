// SPDX-License-Identifier: Apache-2.0
// The labels that select the Pods of one Job, under their old and new names.

import { copyJson, type DraftObject, ensureObject, getKey, type JsonObject } from "../../json/json.ts";
import { objectAt, textAt, textOf, valueAt } from "../../json/json-fields.ts";
import { matchesLabelSelector } from "../../metadata/label-selector-object.ts";
import { type FieldError, invalidValue, requiredValue } from "../../status/field-error.ts";
import { objectOf } from "../checks/field-checks.ts";
import { shownMap, shownSelector } from "../checks/go-values-in-messages.ts";
import { isSet } from "../checks/object-fields.ts";
import { isUsableSelector } from "../checks/pod-template-checks.ts";

const nameLabels = ["job-name", "batch.kubernetes.io/job-name"];
const uidLabels = ["controller-uid", "batch.kubernetes.io/controller-uid"];
const selectorLabel = "batch.kubernetes.io/controller-uid";

/**
 * Generates the selector of a new Job and the template labels that it matches, unless `manualSelector` is true.
 * Requires the uid.
 */
export function generateSelector(object: DraftObject): void {
  const spec = ensureObject(object, "spec");
  if (getKey(spec, "manualSelector") !== true) {
    const labels = ensureObject(ensureObject(ensureObject(spec, "template"), "metadata"), "labels");
    for (const label of nameLabels) if (!isSet(labels, label)) labels[label] = textOf(object, "metadata", "name");
    for (const label of uidLabels) if (!isSet(labels, label)) labels[label] = textOf(object, "metadata", "uid");
    const wanted = ensureObject(ensureObject(spec, "selector"), "matchLabels");
    if (!isSet(wanted, selectorLabel)) wanted[selectorLabel] = textOf(object, "metadata", "uid");
  }
  const metadata = ensureObject(object, "metadata");
  const labels = objectAt(spec, "template", "metadata", "labels");
  if (labels !== undefined && Object.keys(ensureObject(metadata, "labels")).length === 0) metadata["labels"] = labels;
  partLabels(object);
}

/** Copies the labels if Job and template share one labels object (see `setJobDefaults`). */
export function partLabels(object: DraftObject): void {
  const metadata = objectAt(object, "metadata");
  const own = metadata === undefined ? undefined : objectAt(metadata, "labels");
  if (metadata !== undefined && own !== undefined && own === objectAt(object, "spec", "template", "metadata", "labels"))
    metadata["labels"] = copyJson(own);
}

/** Validates that the selector is the generated one and that the template has its labels. */
export function validateGeneratedSelector(object: JsonObject): readonly FieldError[] {
  const spec = objectOf(object, "spec");
  const selector = getKey(spec, "selector") ?? null;
  if (getKey(spec, "manualSelector") === true || selector === null) return [];
  const uid = textOf(object, "metadata", "uid");
  const name = textOf(object, "metadata", "name");
  const expected = {
    "controller-uid": uid,
    "job-name": name,
    "batch.kubernetes.io/controller-uid": uid,
    "batch.kubernetes.io/job-name": name,
  };
  const isOther = isUsableSelector(spec) && !matchesLabelSelector(selector, expected);
  return [
    ...(uid === "" ? [requiredValue("metadata.uid")] : []),
    ...Object.entries(expected).flatMap(([label, value]) => validateHasLabel(spec, label, value)),
    ...(isOther ? [invalidValue("spec.selector", shownSelector(selector), "`selector` not auto-generated")] : []),
  ];
}

function validateHasLabel(spec: JsonObject, label: string, value: string): readonly FieldError[] {
  const field = `spec.template.metadata.labels[${label}]`;
  const found = textAt(spec, "template", "metadata", "labels", label);
  if (found === value) return [];
  if (found === undefined) return [requiredValue(field, `must be '${value}'`)];
  return [invalidValue(field, shownMap(valueAt(spec, "template", "metadata", "labels")), `must be '${value}'`)];
}
