// SPDX-License-Identifier: Apache-2.0
import { getKey, isObject, type Json, type JsonObject } from "../../json/json.ts";
import { countOf, textOf } from "../../json/json-fields.ts";
import { validateLabels } from "../../metadata/label-rules.ts";
import { dnsLabelErrors } from "../../metadata/name-rules.ts";
import { type FieldError, invalidValue, requiredValue } from "../../status/field-error.ts";
import { nonNegative, objectOf, oneOf } from "../checks/field-checks.ts";
import { shownSelector, without } from "../checks/go-values-in-messages.ts";
import { atMostHundredPercent, intOrPercentNumber, validateIntOrPercent } from "../checks/int-or-percent.ts";
import {
  isUsableSelector,
  validateEndlessPods,
  validateSelector,
  validateTemplateLabels,
} from "../checks/pod-template-checks.ts";
import { invalidEach } from "../pod-spec/text-rules.ts";
import { validatePodTemplate } from "../pod-spec/validate-pod-spec.ts";
import { validateClaimTemplates, withClaimVolumes } from "./volume-claim-templates.ts";

const retentionPolicies = ["Retain", "Delete"];

/** Validates the spec of a StatefulSet. */
export function validateStatefulSet(object: JsonObject): readonly FieldError[] {
  const spec = objectOf(object, "spec");
  const retention = objectOf(spec, "persistentVolumeClaimRetentionPolicy");
  const retentionField = "spec.persistentVolumeClaimRetentionPolicy";
  const serviceName = textOf(spec, "serviceName");
  return [
    ...validateManagementPolicy(textOf(spec, "podManagementPolicy")),
    ...validateUpdateStrategy(objectOf(spec, "updateStrategy")),
    ...oneOf(getKey(retention, "whenDeleted"), retentionPolicies, `${retentionField}.whenDeleted`),
    ...oneOf(getKey(retention, "whenScaled"), retentionPolicies, `${retentionField}.whenScaled`),
    ...validateClaimTemplates(spec),
    ...nonNegative(spec, "spec", "replicas"),
    ...nonNegative(spec, "spec", "minReadySeconds"),
    ...nonNegative(spec, "spec", "ordinals", "start"),
    ...(serviceName === "" ? [] : invalidEach("spec.serviceName", serviceName, dnsLabelErrors(serviceName, false))),
    ...validateSelector(spec, "spec", "statefulset"),
    ...validateTemplate(spec),
    ...validateEndlessPods(spec, "spec", "StatefulSet"),
  ];
}

function validateManagementPolicy(policy: string): readonly FieldError[] {
  if (policy === "OrderedReady" || policy === "Parallel") return [];
  const field = "spec.podManagementPolicy";
  return [policy === "" ? requiredValue(field) : invalidValue(field, policy, "must be 'OrderedReady' or 'Parallel'")];
}

/**
 * Validates the template as Pods get it: with a volume for each claim, and without hostname and subdomain, which the
 * StatefulSet sets.
 */
function validateTemplate(spec: JsonObject): readonly FieldError[] {
  const selector = getKey(spec, "selector");
  if (!isUsableSelector(spec)) return [invalidValue("spec.selector", shownSelector(selector), "")];
  const isEmpty = isObject(selector) && Object.keys(selector).length === 0;
  const template = objectOf(spec, "template");
  const podSpec = withClaimVolumes(without(objectOf(template, "spec"), "subdomain", "hostname"), spec);
  return [
    ...(isEmpty ? [] : validateTemplateLabels(spec, "spec")),
    ...validatePodTemplate({ ...template, spec: podSpec }, "spec.template"),
    ...validateLabels(objectOf(objectOf(template, "metadata"), "labels"), "spec.template.labels"),
  ];
}

function validateUpdateStrategy(strategy: JsonObject): readonly FieldError[] {
  const field = "spec.updateStrategy";
  const rollingUpdate = getKey(strategy, "rollingUpdate");
  switch (textOf(strategy, "type")) {
    case "":
      return [requiredValue(field)];
    case "OnDelete":
      return isObject(rollingUpdate)
        ? [
            invalidValue(
              `${field}.rollingUpdate`,
              shownRollingUpdate(rollingUpdate),
              "only allowed for updateStrategy 'RollingUpdate'",
            ),
          ]
        : [];
    case "RollingUpdate":
      return isObject(rollingUpdate) ? validateRollingUpdate(rollingUpdate, `${field}.rollingUpdate`) : [];
    default:
      return [
        invalidValue(
          field,
          {
            Type: textOf(strategy, "type"),
            RollingUpdate: isObject(rollingUpdate) ? shownRollingUpdate(rollingUpdate) : null,
          },
          "must be 'RollingUpdate' or 'OnDelete'",
        ),
      ];
  }
}

function validateRollingUpdate(rollingUpdate: JsonObject, field: string): readonly FieldError[] {
  const unavailable = getKey(rollingUpdate, "maxUnavailable") ?? null;
  const unavailableField = `${field}.maxUnavailable`;
  if (unavailable === null) return nonNegative(rollingUpdate, field, "partition");
  return [
    ...nonNegative(rollingUpdate, field, "partition"),
    ...validateIntOrPercent(unavailable, unavailableField),
    ...(intOrPercentNumber(unavailable) === 0 ? [invalidValue(unavailableField, unavailable, "cannot be 0")] : []),
    ...atMostHundredPercent(unavailable, unavailableField),
  ];
}

/** Error messages print kube-apiserver's internal form. */
function shownRollingUpdate(rollingUpdate: JsonObject): Json {
  return {
    Partition: countOf(rollingUpdate, "partition"),
    MaxUnavailable: getKey(rollingUpdate, "maxUnavailable") ?? null,
  };
}
