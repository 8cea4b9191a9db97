// SPDX-License-Identifier: Apache-2.0
import { getKey, isObject, type JsonObject } from "../../json/json.ts";
import { objectAt, objectsAt, textOf } from "../../json/json-fields.ts";
import {
  duplicateValue,
  type FieldError,
  forbiddenField,
  invalidValue,
  notFoundValue,
  requiredValue,
} from "../../status/field-error.ts";
import { isSet } from "../checks/object-fields.ts";
import { probeNames } from "./container-defaults.ts";
import {
  type ContainerContext,
  validateContainer,
  validateHostPorts,
  validateRestartPolicy,
} from "./validate-container.ts";
import { validateLifecycle, validateProbes } from "./validate-probe.ts";

/** Fields that are forbidden in ephemeral containers, in the order of the API's struct. */
const forbiddenEphemeralFields = [
  "ports",
  "resources",
  "resizePolicy",
  "restartPolicy",
  "restartPolicyRules",
  "livenessProbe",
  "readinessProbe",
  "startupProbe",
  "lifecycle",
];

/** Validates the regular containers of a pod spec. */
export function validateContainers(spec: JsonObject, field: string, context: ContainerContext): readonly FieldError[] {
  const at = `${field}.containers`;
  const containers = objectsAt(spec, "containers");
  if (containers.length === 0) return [requiredValue(at)];
  const names = new Set<string>();
  const errors = containers.flatMap((container, index) => {
    const place = `${at}[${index}]`;
    const name = textOf(container, "name");
    const repeated = names.has(name) ? [duplicateValue(`${place}.name`, name)] : [];
    names.add(name);
    return [
      ...validateContainer(container, place, context),
      ...repeated,
      ...validateLifecycle(container, place, context),
      ...validateProbes(container, place, context),
      ...validateRestartPolicy(container, place),
    ];
  });
  return [...errors, ...validateHostPorts(containers, at)];
}

/** Validates the init containers. One with restartPolicy Always is a sidecar and may have probes and hooks. */
export function validateInitContainers(
  spec: JsonObject,
  field: string,
  context: ContainerContext,
): readonly FieldError[] {
  const at = `${field}.initContainers`;
  const names = new Set(objectsAt(spec, "containers").map((container) => textOf(container, "name")));
  return objectsAt(spec, "initContainers").flatMap((container, index) => {
    const place = `${at}[${index}]`;
    const name = textOf(container, "name");
    const repeated = names.has(name) ? [duplicateValue(`${place}.name`, name)] : [];
    if (name !== "") names.add(name);
    return [
      ...validateContainer(container, place, context),
      ...validateRestartPolicy(container, place),
      ...repeated,
      ...validateHostPorts([container], at),
      ...(textOf(container, "restartPolicy") === "Always"
        ? [...validateLifecycle(container, place, context), ...validateProbes(container, place, context)]
        : validateRunOnce(container, place)),
    ];
  });
}

function validateRunOnce(container: JsonObject, field: string): readonly FieldError[] {
  const set = ["lifecycle", ...probeNames].filter((key) => objectAt(container, key) !== undefined);
  return [
    ...set.map((key) =>
      forbiddenField(`${field}.${key}`, "may not be set for init containers without restartPolicy=Always"),
    ),
    ...objectsAt(container, "resizePolicy").flatMap((policy, index) =>
      textOf(policy, "restartPolicy") === "RestartContainer"
        ? [
            invalidValue(
              `${field}.resizePolicy[${index}].restartPolicy`,
              "RestartContainer",
              "must not be set to 'RestartContainer' for non-sidecar initContainers",
            ),
          ]
        : [],
    ),
  ];
}

/** Validates the ephemeral containers, which are added to a running Pod to debug it. */
export function validateEphemeralContainers(
  spec: JsonObject,
  field: string,
  context: ContainerContext,
): readonly FieldError[] {
  const at = `${field}.ephemeralContainers`;
  const others = new Set(
    ["containers", "initContainers"].flatMap((list) =>
      objectsAt(spec, list).map((container) => textOf(container, "name")),
    ),
  );
  const names = new Set(others);
  return objectsAt(spec, "ephemeralContainers").flatMap((container, index) => {
    const place = `${at}[${index}]`;
    const name = textOf(container, "name");
    const target = textOf(container, "targetContainerName");
    const errors = [...validateContainer(container, place, context), ...validatePaddedImage(container, place)];
    if (names.has(name)) errors.push(duplicateValue(`${place}.name`, name));
    names.add(name);
    if (target !== "" && !others.has(target)) errors.push(notFoundValue(`${place}.targetContainerName`, target));
    for (const key of forbiddenEphemeralFields)
      if (isSet(container, key) && !isEmptyObject(container, key))
        errors.push(forbiddenField(`${place}.${key}`, "cannot be set for an Ephemeral Container"));
    objectsAt(container, "volumeMounts").forEach((mount, mountIndex) => {
      for (const key of ["subPath", "subPathExpr"])
        if (textOf(mount, key) !== "")
          errors.push(
            forbiddenField(`${place}.volumeMounts[${mountIndex}].${key}`, "cannot be set for an Ephemeral Container"),
          );
    });
    return errors;
  });
}

/** Rejects whitespace around an image. For Pods only: templates may have it. */
export function validatePaddedImage(container: JsonObject, field: string): readonly FieldError[] {
  const image = textOf(container, "image");
  if (image === image.trim()) return [];
  return [invalidValue(`${field}.image`, image, "must not have leading or trailing whitespace")];
}

function isEmptyObject(container: JsonObject, key: string): boolean {
  const value = getKey(container, key);
  return isObject(value) && Object.keys(value).length === 0;
}
