// SPDX-License-Identifier: Apache-2.0
import { getKey, type JsonObject } from "../../json/json.ts";
import { objectAt, textOf } from "../../json/json-fields.ts";
import { validateLabels } from "../../metadata/label-rules.ts";
import { dnsLabelErrors } from "../../metadata/name-rules.ts";
import type { Strategy } from "../../resources/strategy.ts";
import { type FieldError, requiredValue } from "../../status/field-error.ts";
import { immutable, objectOf } from "../checks/field-checks.ts";
import { invalidEach } from "../pod-spec/text-rules.ts";
import { validateResources } from "../pod-spec/validate-resources.ts";
import { validateTolerations } from "../pod-spec/validate-scheduling.ts";

function validate(object: JsonObject): readonly FieldError[] {
  const handler = textOf(object, "handler");
  const overhead = objectAt(object, "overhead");
  const scheduling = objectAt(object, "scheduling");
  return [
    ...(handler === "" ? [requiredValue("handler")] : invalidEach("handler", handler, dnsLabelErrors(handler, false))),
    // As in kube-apiserver, errors name the overhead as limits of a container: it is validated as such.
    ...(overhead === undefined
      ? []
      : validateResources({ limits: objectOf(overhead, "podFixed") }, "overhead", new Set())),
    ...(scheduling === undefined ? [] : validateScheduling(scheduling)),
  ];
}

function validateScheduling(scheduling: JsonObject): readonly FieldError[] {
  return [
    ...validateLabels(getKey(scheduling, "nodeSelector"), "scheduling.nodeSelector"),
    ...validateTolerations(scheduling, "scheduling.tolerations"),
  ];
}

/** RuntimeClasses. `admitRuntimeClass` applies overhead and scheduling to Pods. */
export const runtimeClassStrategy: Strategy = {
  validate,
  validateUpdate: (object, old) => immutable(getKey(object, "handler"), getKey(old, "handler"), "handler"),
  allowsCreateOnUpdate: true,
  allowsUnconditionalUpdate: false,
};
