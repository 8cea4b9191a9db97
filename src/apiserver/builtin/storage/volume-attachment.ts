// SPDX-License-Identifier: Apache-2.0
import { getKey, type Json, type JsonObject } from "../../json/json.ts";
import { textOf } from "../../json/json-fields.ts";
import { dnsSubdomainErrors } from "../../metadata/name-rules.ts";
import { type Strategy, takeOnlyStatus } from "../../resources/strategy.ts";
import { type FieldError, forbiddenField, requiredValue } from "../../status/field-error.ts";
import { immutable, objectOf } from "../checks/field-checks.ts";
import { isSet } from "../checks/object-fields.ts";
import { keepStatus, resetStatus } from "../checks/status-checks.ts";
import { invalidEach } from "../pod-spec/text-rules.ts";
import { validateDriverName } from "./csi-node.ts";

function validate(object: JsonObject): readonly FieldError[] {
  const spec = objectOf(object, "spec");
  const volumeName = getKey(objectOf(spec, "source"), "persistentVolumeName");
  const nodeName = textOf(spec, "nodeName");
  return [
    ...validateDriverName(textOf(spec, "attacher"), "spec.attacher"),
    ...validateSource(objectOf(spec, "source"), "spec.source"),
    ...invalidEach("spec.nodeName", nodeName, dnsSubdomainErrors(nodeName, false)),
    ...(typeof volumeName === "string"
      ? invalidEach("spec.source.persistentVolumeName", volumeName, dnsSubdomainErrors(volumeName, false))
      : []),
  ];
}

function validateSource(source: JsonObject, field: string): readonly FieldError[] {
  const isInline = isSet(source, "inlineVolumeSpec");
  const isNamed = isSet(source, "persistentVolumeName");
  const detail = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";
  if (!isInline && !isNamed) return [requiredValue(field, detail)];
  if (isInline && isNamed) return [forbiddenField(field, detail)];
  if (isInline || textOf(source, "persistentVolumeName") !== "") return [];
  return [requiredValue(`${field}.persistentVolumeName`, "must specify non empty persistentVolumeName")];
}

/** Error messages print kube-apiserver's internal form, except for an inline volume, which keeps its API form. */
function shownSpec(object: JsonObject): Json {
  const spec = objectOf(object, "spec");
  const source = objectOf(spec, "source");
  return {
    Attacher: textOf(spec, "attacher"),
    Source: {
      PersistentVolumeName: getKey(source, "persistentVolumeName") ?? null,
      InlineVolumeSpec: getKey(source, "inlineVolumeSpec") ?? null,
    },
    NodeName: textOf(spec, "nodeName"),
  };
}

/** VolumeAttachments. The spec is immutable. */
export const volumeAttachmentStrategy: Strategy = {
  prepareForCreate: resetStatus({ attached: false }),
  prepareForUpdate: keepStatus,
  prepareForStatusUpdate: takeOnlyStatus,
  validate,
  validateUpdate: (object, old) => immutable(shownSpec(object), shownSpec(old), "spec"),
  allowsUnconditionalUpdate: false,
};
