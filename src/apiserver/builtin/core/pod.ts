// SPDX-License-Identifier: Apache-2.0
import { copyJson, type DraftObject, ensureObject, getKey, type JsonObject, setKey } from "../../json/json.ts";
import { countOf, objectAt, objectsAt, textOf, valueAt } from "../../json/json-fields.ts";
import { dnsLabelErrors } from "../../metadata/name-rules.ts";
import type { Strategy } from "../../resources/strategy.ts";
import { formatTime } from "../../schema-decode/go-time.ts";
import { type FieldError, forbiddenField, invalidValue } from "../../status/field-error.ts";
import { refuseAtCreation } from "../checks/creation-checks.ts";
import { pointedNumber } from "../checks/object-fields.ts";
import { keepStatus } from "../checks/status-checks.ts";
import { defaultGraceSeconds } from "../pod-spec/pod-spec-defaults.ts";
import { podSpecWarnings } from "../pod-spec/pod-spec-warnings.ts";
import { validatePaddedImage } from "../pod-spec/validate-container-lists.ts";
import { validatePodSpec } from "../pod-spec/validate-pod-spec.ts";
import { refuseBeyondLimits, setLimitRangeDefaults } from "./limit-range-admission.ts";
import { admitPriority, admitTolerations, keepPriority, mergeMatchLabelKeys } from "./pod-admission.ts";
import { setPodDefaults } from "./pod-defaults.ts";
import { qosClass } from "./pod-qos.ts";
import { admitServiceAccount } from "./pod-service-account.ts";
import { validatePodUpdate } from "./pod-update.ts";
import { admitRuntimeClass } from "./runtime-class-admission.ts";

/** Pods: defaults, admission of new Pods and the few allowed updates. */
export const podStrategy: Strategy = {
  setDefaults: setPodDefaults,
  prepareForCreate(object, context) {
    const spec = ensureObject(object, "spec");
    setLimitRangeDefaults(object, context.objects);
    admitServiceAccount(object, context);
    admitPriority(object, context.objects);
    admitTolerations(object);
    admitRuntimeClass(object, context.objects);
    mergeMatchLabelKeys(object);
    const qos = textOf(object, "status", "qosClass") || qosClass(spec);
    const gates = objectsAt(spec, "schedulingGates");
    setKey(object, "status", {
      phase: "Pending",
      ...(gates.length === 0 ? {} : { conditions: [gatedCondition(context.nowMs)] }),
      qosClass: qos,
    });
    const hasEphemeral = objectsAt(spec, "ephemeralContainers").length > 0;
    refuseAtCreation({ group: "", kind: "Pod" }, object, {
      always: () => validatePod(object),
      atCreation: hasEphemeral ? [forbiddenField("spec.ephemeralContainers", "cannot be set on create")] : [],
    });
    // LimitRanges are checked for a valid Pod only: validation errors take precedence.
    if (validatePod(object).length === 0) refuseBeyondLimits(object, context.objects);
  },
  prepareForUpdate(object, old) {
    keepStatus(object, old);
    keepPriority(object, old);
    admitTolerations(object);
  },
  validate: validatePod,
  validateUpdate: validatePodUpdate,
  prepareForStatusUpdate(object, old) {
    setKey(object, "spec", copyJson(getKey(old, "spec") ?? {}));
    const status = ensureObject(object, "status");
    const references = valueAt(old, "metadata", "ownerReferences");
    const metadata = ensureObject(object, "metadata");
    if (references === undefined) delete metadata["ownerReferences"];
    else metadata["ownerReferences"] = copyJson(references);
    if (textOf(status, "qosClass") === "" && textOf(old, "status", "qosClass") !== "")
      status["qosClass"] = textOf(old, "status", "qosClass");
    const observed = countOf(old, "status", "observedGeneration");
    if (observed !== 0 && countOf(status, "observedGeneration") === 0) status["observedGeneration"] = observed;
  },
  warnings(object, old) {
    if (old !== undefined) return [];
    const name = textOf(object, "metadata", "name");
    const wrong = dnsLabelErrors(name, false);
    const hint =
      "metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended:";
    return [...(wrong.length === 0 ? [] : [`${hint} [${wrong.join(" ")}]`]), ...podSpecWarnings(object, "")];
  },
  countsGenerations: true,
  selectableFieldNames: [
    "spec.nodeName",
    "spec.restartPolicy",
    "spec.schedulerName",
    "spec.serviceAccountName",
    "spec.hostNetwork",
    "status.phase",
    "status.podIP",
    "status.podIPs",
    "status.nominatedNodeName",
  ],
  selectableFields(object) {
    const ip = textOf(object, "status", "podIP");
    return {
      "spec.nodeName": textOf(object, "spec", "nodeName"),
      "spec.restartPolicy": textOf(object, "spec", "restartPolicy"),
      "spec.schedulerName": textOf(object, "spec", "schedulerName"),
      "spec.serviceAccountName": textOf(object, "spec", "serviceAccountName"),
      "spec.hostNetwork": String(valueAt(object, "spec", "hostNetwork") === true),
      "status.phase": textOf(object, "status", "phase"),
      "status.podIP": ip,
      "status.podIPs": "",
      "status.nominatedNodeName": textOf(object, "status", "nominatedNodeName"),
    };
  },
  graceSeconds: podGraceSeconds,
};

/**
 * The grace period of a deletion: the requested one, or else the Pod's own. Zero if the Pod was never scheduled or has
 * ended.
 */
function podGraceSeconds(object: JsonObject, requested: number | undefined): number {
  const phase = textOf(object, "status", "phase");
  if (textOf(object, "spec", "nodeName") === "" || phase === "Failed" || phase === "Succeeded") return 0;
  const own = pointedNumber(object, "spec", "terminationGracePeriodSeconds");
  const seconds = requested ?? Number(own ?? defaultGraceSeconds);
  return seconds < 0 ? 1 : seconds;
}

function gatedCondition(nowMs: number): DraftObject {
  return {
    type: "PodScheduled",
    status: "False",
    lastProbeTime: null,
    lastTransitionTime: formatTime(nowMs),
    reason: "SchedulingGated",
    message: "Scheduling is blocked due to non-empty scheduling gates",
  };
}

function validatePod(object: JsonObject): readonly FieldError[] {
  const spec = objectAt(object, "spec") ?? {};
  const isGated = textOf(spec, "nodeName") !== "" && objectsAt(spec, "schedulingGates").length > 0;
  return [
    ...validatePodAnnotations(object),
    ...validatePodSpec(spec, "spec", { isPod: true, podName: textOf(object, "metadata", "name") }),
    ...["containers", "initContainers"].flatMap((list) =>
      objectsAt(spec, list).flatMap((container, index) => validatePaddedImage(container, `spec.${list}[${index}]`)),
    ),
    ...(isGated ? [forbiddenField("spec.nodeName", "cannot be set until all schedulingGates have been cleared")] : []),
  ];
}

function validatePodAnnotations(object: JsonObject): readonly FieldError[] {
  const annotations = objectAt(object, "metadata", "annotations") ?? {};
  const mirror = getKey(annotations, "kubernetes.io/config.mirror");
  const cost = getKey(annotations, "controller.kubernetes.io/pod-deletion-cost");
  const errors: FieldError[] = [];
  if (typeof mirror === "string" && textOf(object, "spec", "nodeName") === "")
    errors.push(
      invalidValue(
        "metadata.annotations[kubernetes.io/config.mirror]",
        mirror,
        "must set spec.nodeName if mirror pod annotation is set",
      ),
    );
  if (typeof cost === "string" && !isInt32(cost))
    errors.push(
      invalidValue("metadata.annotations[controller.kubernetes.io/pod-deletion-cost]", cost, "must be a 32bit integer"),
    );
  return errors;
}

/** Kubernetes' format of the deletion cost: no plus sign, no leading zeros. */
function isInt32(text: string): boolean {
  const value = Number(text);
  return /^(?:0|-?[1-9]\d{0,9})$/.test(text) && value >= -2_147_483_648 && value <= 2_147_483_647;
}
