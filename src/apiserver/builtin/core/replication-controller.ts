// SPDX-License-Identifier: Apache-2.0
import { copyJson, ensureObject, getKey, type JsonObject } from "../../json/json.ts";
import { countOf, objectAt, textOf } from "../../json/json-fields.ts";
import { dnsLabelErrors } from "../../metadata/name-rules.ts";
import type { Strategy } from "../../resources/strategy.ts";
import {
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupportedValue,
  requiredValue,
} from "../../status/field-error.ts";
import { isSet, pointedNumber, setIfAbsent } from "../checks/object-fields.ts";
import { keepStatus, resetStatus, validateReplicaCounts } from "../checks/status-checks.ts";
import { setPodTemplateDefaults } from "../pod-spec/pod-spec-defaults.ts";
import { podSpecWarnings } from "../pod-spec/pod-spec-warnings.ts";
import { validateNotNegative } from "../pod-spec/text-rules.ts";
import { validatePodTemplate } from "../pod-spec/validate-pod-spec.ts";

/** ReplicationControllers, the predecessor of ReplicaSets. Selector and labels default to the template's labels. */
export const replicationControllerStrategy: Strategy = {
  setDefaults(object) {
    const spec = ensureObject(object, "spec");
    const template = objectAt(spec, "template");
    const labels = template === undefined ? undefined : objectAt(template, "metadata", "labels");
    if (labels !== undefined && Object.keys(labels).length > 0) {
      if (isEmpty(objectAt(spec, "selector"))) spec["selector"] = copyJson(labels);
      const metadata = ensureObject(object, "metadata");
      if (isEmpty(objectAt(metadata, "labels"))) metadata["labels"] = copyJson(labels);
    }
    setIfAbsent(spec, "replicas", 1);
    if (template !== undefined) setPodTemplateDefaults(template);
  },
  prepareForCreate: resetStatus({ replicas: 0 }),
  prepareForUpdate: keepStatus,
  validate(object) {
    const spec = objectAt(object, "spec") ?? {};
    return [
      ...validateNotNegative("spec.minReadySeconds", pointedNumber(spec, "minReadySeconds")),
      ...(isEmpty(objectAt(spec, "selector")) ? [requiredValue("spec.selector")] : []),
      ...validateNotNegative("spec.replicas", pointedNumber(spec, "replicas")),
      ...validateTemplate(spec),
    ];
  },
  validateStatusUpdate: (object) =>
    validateReplicaCounts(object, {
      counts: ["replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas", "observedGeneration"],
      partsOfReplicas: ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"],
      readyName: "readyReplicas",
    }),
  warnings(object, old) {
    const template = objectAt(object, "spec", "template") ?? {};
    if (old !== undefined) return podSpecWarnings(template, "spec.template");
    const wrong = dnsLabelErrors(textOf(object, "metadata", "name"), false);
    const hint =
      "metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended:";
    return [
      ...(wrong.length === 0 ? [] : [`${hint} [${wrong.join(" ")}]`]),
      ...podSpecWarnings(template, "spec.template"),
    ];
  },
  countsGenerations: true,
  defaultPropagation: "orphan",
  selectableFieldNames: ["status.replicas"],
  selectableFields: (object) => ({ "status.replicas": String(countOf(object, "status", "replicas")) }),
};

function validateTemplate(spec: JsonObject): readonly FieldError[] {
  const template = objectAt(spec, "template");
  if (template === undefined) return [requiredValue("spec.template")];
  const selector = objectAt(spec, "selector") ?? {};
  const labels = objectAt(template, "metadata", "labels") ?? {};
  const isMatch = Object.keys(selector).every((key) => getKey(selector, key) === getKey(labels, key));
  const podSpec = objectAt(template, "spec") ?? {};
  const restartPolicy = textOf(podSpec, "restartPolicy");
  const errors: FieldError[] = isMatch
    ? []
    : [invalidValue("spec.template.metadata.labels", labels, "`selector` does not match template `labels`")];
  errors.push(...validatePodTemplate(template, "spec.template"));
  if (restartPolicy !== "Always")
    errors.push(notSupportedValue("spec.template.spec.restartPolicy", restartPolicy, ["Always"]));
  if (isSet(podSpec, "activeDeadlineSeconds"))
    errors.push(
      forbiddenField(
        "spec.template.spec.activeDeadlineSeconds",
        "activeDeadlineSeconds in ReplicationController is not Supported",
      ),
    );
  return errors;
}

function isEmpty(map: JsonObject | undefined): boolean {
  return map === undefined || Object.keys(map).length === 0;
}
