// SPDX-License-Identifier: Apache-2.0
import { type DraftObject, ensureObject } from "../../json/json.ts";
import { objectAt, objectsAt } from "../../json/json-fields.ts";
import { isSet, setIfAbsent, setIfEmpty } from "../checks/object-fields.ts";
import { setPodTemplateDefaults } from "../pod-spec/pod-spec-defaults.ts";

/** Kubernetes' default number of retries. */
const defaultBackoffLimit = 6;
/** The maximum of the field. With a limit per index, the limit of the whole Job is effectively off. */
const maxInt32 = 2_147_483_647;

/**
 * Sets the defaults of a Job. A Job without labels shares the labels object of its template, so that labels that the
 * server adds to the template at creation appear in both. `generateSelector` separates them.
 */
export function setJobDefaults(object: DraftObject): void {
  const spec = ensureObject(object, "spec");
  setJobTemplateDefaults(spec);
  if (!isSet(spec, "completions") && !isSet(spec, "parallelism")) spec["completions"] = 1;
  setIfAbsent(spec, "parallelism", 1);
  setIfAbsent(spec, "backoffLimit", isSet(spec, "backoffLimitPerIndex") ? maxInt32 : defaultBackoffLimit);
  shareTemplateLabels(object, spec);
  setIfAbsent(spec, "completionMode", "NonIndexed");
  setIfAbsent(spec, "suspend", false);
  setIfAbsent(spec, "podReplacementPolicy", isSet(spec, "podFailurePolicy") ? "Failed" : "TerminatingOrFailed");
  setIfAbsent(spec, "manualSelector", false);
}

/** Sets the defaults that a Job spec gets both in a Job and in a CronJob. */
export function setJobTemplateDefaults(spec: DraftObject): void {
  setPodTemplateDefaults(ensureObject(spec, "template"));
  for (const rule of objectsAt(spec, "podFailurePolicy", "rules"))
    for (const condition of objectsAt(rule, "onPodConditions")) setIfEmpty(condition, "status", "True");
}

function shareTemplateLabels(object: DraftObject, spec: DraftObject): void {
  const labels = objectAt(spec, "template", "metadata", "labels");
  const own = objectAt(object, "metadata", "labels");
  const isUnlabelled = own === undefined || Object.keys(own).length === 0;
  if (labels !== undefined && isUnlabelled) ensureObject(object, "metadata")["labels"] = labels;
}
