// SPDX-License-Identifier: Apache-2.0
import { getKey, type JsonObject } from "../../json/json.ts";
import { type FieldError, invalidValue } from "../../status/field-error.ts";
import { objectOf } from "../checks/field-checks.ts";
import { shownSelector } from "../checks/go-values-in-messages.ts";
import {
  isUsableSelector,
  validateEndlessPods,
  validateSelector,
  validateTemplateLabels,
} from "../checks/pod-template-checks.ts";
import { validatePodTemplate } from "../pod-spec/validate-pod-spec.ts";

/**
 * Validates selector and template of a Deployment or ReplicaSet. The error messages are the same for both kinds: one
 * names Deployments, the other ReplicaSets.
 */
export function validateReplicaTemplate(spec: JsonObject): readonly FieldError[] {
  const selector = getKey(spec, "selector");
  const isEmpty = JSON.stringify(shownSelector(selector)) === "{}";
  const selectorErrors = validateSelector(spec, "spec", "deployment");
  if (!isUsableSelector(spec))
    return [...selectorErrors, invalidValue("spec.selector", shownSelector(selector), "invalid label selector")];
  return [
    ...selectorErrors,
    ...(isEmpty ? [] : validateTemplateLabels(spec, "spec")),
    ...validatePodTemplate(objectOf(spec, "template"), "spec.template"),
    ...validateEndlessPods(spec, "spec", "ReplicaSet"),
  ];
}
