// SPDX-License-Identifier: Apache-2.0
import { getKey, type JsonObject } from "../../json/json.ts";
import { objectAt, objectsAt, textOf } from "../../json/json-fields.ts";
import { labelKeyErrors, validateLabels } from "../../metadata/label-rules.ts";
import { dnsLabelErrors, dnsSubdomainErrors } from "../../metadata/name-rules.ts";
import { validateAnnotations } from "../../metadata/object-meta.ts";
import { type FieldError, forbiddenField, notSupportedValue, requiredValue } from "../../status/field-error.ts";
import { pointedNumber } from "../checks/object-fields.ts";
import { invalidEach, validateChoice, validateOptionalChoice, validateRange } from "./text-rules.ts";
import { validateAffinity } from "./validate-affinity.ts";

import type { ContainerContext } from "./validate-container.ts";
import { validateContainers, validateEphemeralContainers, validateInitContainers } from "./validate-container-lists.ts";
import {
  validateDnsConfig,
  validateHostAliases,
  validateHostNetworkPorts,
  validateHostnameOverride,
  validateHostUsers,
} from "./validate-pod-network.ts";
import { validatePodResources, validateResourceClaims } from "./validate-pod-resources.ts";
import { validateResources } from "./validate-resources.ts";
import { validateSchedulingGates, validateSpreadConstraints, validateTolerations } from "./validate-scheduling.ts";
import { validatePodSecurity } from "./validate-security-context.ts";
import { validateVolumes } from "./validate-volumes.ts";

const restartPolicies = ["Always", "OnFailure", "Never"];
const dnsPolicies = ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"];

/** The owner of a pod spec. Some rules apply to Pods only: a template may omit those fields. */
export interface PodSpecPlace {
  readonly isPod?: boolean;
  /** `metadata.name` of the Pod: a prefix of the claim names of ephemeral volumes. */
  readonly podName?: string;
}

/**
 * Validates a pod spec after defaults. Errors are in kube-apiserver's order. `field` is the path of the spec
 * (`spec.template.spec`).
 */
export function validatePodSpec(spec: JsonObject, field: string, place: PodSpecPlace = {}): readonly FieldError[] {
  const { isPod = false, podName = "" } = place;
  const volumes = validateVolumes(spec, `${field}.volumes`, podName);
  const context = toContainerContext(spec, volumes.byName);
  return [
    ...volumes.errors,
    ...validateResourceClaims(spec, `${field}.resourceClaims`),
    ...validateContainers(spec, field, context),
    ...validateInitContainers(spec, field, context),
    ...validateEphemeralContainers(spec, field, context),
    ...validatePodResources(spec, field, context.claimNames),
    ...validateHostNetworkPorts(spec, field, isPod),
    ...validateChoice(`${field}.restartPolicy`, textOf(spec, "restartPolicy"), restartPolicies),
    ...validateChoice(`${field}.dnsPolicy`, textOf(spec, "dnsPolicy"), dnsPolicies),
    ...validateLabels(getKey(spec, "nodeSelector"), `${field}.nodeSelector`),
    ...validatePodSecurity(spec, field),
    ...validateAffinity(objectAt(spec, "affinity"), `${field}.affinity`),
    ...validateDnsConfig(spec, `${field}.dnsConfig`),
    ...validateReadinessGates(spec, `${field}.readinessGates`),
    ...validateSchedulingGates(spec, `${field}.schedulingGates`),
    ...validateSpreadConstraints(spec, `${field}.topologySpreadConstraints`),
    ...validateHostUsers(spec, field),
    ...validateHostnameOverride(spec, field),
    ...validateNames(spec, field),
    ...validateTolerations(spec, `${field}.tolerations`),
    ...validateHostAliases(spec, `${field}.hostAliases`),
    ...validateClasses(spec, field),
    ...validateResources({ limits: objectAt(spec, "overhead") ?? {} }, `${field}.overhead`, new Set()),
    ...validateOs(objectAt(spec, "os"), `${field}.os`),
  ];
}

/** Validates a pod template after defaults. `field` is its path (`spec.template`). */
export function validatePodTemplate(template: JsonObject, field: string): readonly FieldError[] {
  const metadata = objectAt(template, "metadata") ?? {};
  const spec = objectAt(template, "spec") ?? {};
  const hasEphemeral = objectsAt(spec, "ephemeralContainers").length > 0;
  return [
    ...validateLabels(getKey(metadata, "labels"), `${field}.labels`),
    ...validateAnnotations(getKey(metadata, "annotations"), `${field}.annotations`),
    ...validatePodSpec(spec, `${field}.spec`),
    ...(hasEphemeral
      ? [forbiddenField(`${field}.spec.ephemeralContainers`, "ephemeral containers not allowed in pod template")]
      : []),
  ];
}

function toContainerContext(spec: JsonObject, volumes: ReadonlyMap<string, JsonObject>): ContainerContext {
  return {
    volumes,
    claimNames: new Set(objectsAt(spec, "resourceClaims").map((claim) => textOf(claim, "name"))),
    podRestartPolicy: textOf(spec, "restartPolicy"),
    hostUsers: getKey(spec, "hostUsers") !== false,
    graceSeconds: pointedNumber(spec, "terminationGracePeriodSeconds"),
  };
}

function validateReadinessGates(spec: JsonObject, field: string): readonly FieldError[] {
  return objectsAt(spec, "readinessGates").flatMap((gate, index) => {
    const type = textOf(gate, "conditionType");
    return invalidEach(`${field}[${index}].conditionType`, type, labelKeyErrors(type));
  });
}

function validateNames(spec: JsonObject, field: string): readonly FieldError[] {
  const named = (key: string, rule: typeof dnsLabelErrors): readonly FieldError[] => {
    const name = textOf(spec, key);
    return name === "" ? [] : invalidEach(`${field}.${key}`, name, rule(name, false));
  };
  return [
    ...named("serviceAccountName", dnsSubdomainErrors),
    ...named("nodeName", dnsSubdomainErrors),
    ...validateRange(
      `${field}.activeDeadlineSeconds`,
      pointedNumber(spec, "activeDeadlineSeconds"),
      [1, 2_147_483_647],
    ),
    ...named("hostname", dnsLabelErrors),
    ...named("subdomain", dnsLabelErrors),
  ];
}

function validateClasses(spec: JsonObject, field: string): readonly FieldError[] {
  const priorityClass = textOf(spec, "priorityClassName");
  const runtimeClass = getKey(spec, "runtimeClassName");
  const at = `${field}.priorityClassName`;
  return [
    ...(priorityClass === "" ? [] : invalidEach(at, priorityClass, dnsSubdomainErrors(priorityClass, false))),
    ...(typeof runtimeClass === "string"
      ? invalidEach(`${field}.runtimeClassName`, runtimeClass, dnsSubdomainErrors(runtimeClass, false))
      : []),
    ...validateOptionalChoice(`${field}.preemptionPolicy`, getKey(spec, "preemptionPolicy"), [
      "PreemptLowerPriority",
      "Never",
    ]),
  ];
}

function validateOs(os: JsonObject | undefined, field: string): readonly FieldError[] {
  if (os === undefined) return [];
  const name = textOf(os, "name");
  if (name === "") return [requiredValue(`${field}.name`)];
  return name === "linux" || name === "windows" ? [] : [notSupportedValue(field, name, ["linux", "windows"])];
}
