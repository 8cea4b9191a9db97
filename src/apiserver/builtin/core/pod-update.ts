// SPDX-License-Identifier: Apache-2.0
// The few changes that an update of a Pod may make.

import {
  copyJson,
  type DraftObject,
  deleteKey,
  getKey,
  isEqualJson,
  type JsonObject,
  setKey,
} from "../../json/json.ts";
import { objectAt, objectsAt, textOf } from "../../json/json-fields.ts";
import { type FieldError, forbiddenField, invalidValue, requiredValue } from "../../status/field-error.ts";
import { pointedNumber } from "../checks/object-fields.ts";
import { rangeSentence } from "../pod-spec/text-rules.ts";
import { validatePaddedImage } from "../pod-spec/validate-container-lists.ts";

const mutableFields = [
  "`spec.containers[*].image`",
  "`spec.initContainers[*].image`",
  "`spec.activeDeadlineSeconds`",
  "`spec.tolerations` (only additions to existing tolerations)",
  "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)",
].join(",");

const maxInt32 = 2_147_483_647;

/** Validates an update of a Pod. */
export function validatePodUpdate(pod: JsonObject, old: JsonObject): readonly FieldError[] {
  const spec = objectAt(pod, "spec") ?? {};
  const oldSpec = objectAt(old, "spec") ?? {};
  const errors: FieldError[] = [];
  for (const list of ["containers", "initContainers"]) {
    const containers = objectsAt(spec, list);
    const at = `spec.${list}`;
    if (containers.length !== objectsAt(oldSpec, list).length)
      return [...errors, forbiddenField(at, "pod updates may not add or remove containers")];
    containers.forEach((container, index) => {
      if (textOf(container, "image") === "") errors.push(requiredValue(`${at}[${index}].image`));
      errors.push(...validatePaddedImage(container, `${at}[${index}]`));
    });
  }
  const deadline = validateDeadline(spec, oldSpec);
  errors.push(...deadline.errors);
  if (deadline.isEnd) return errors;
  errors.push(...validateTolerationUpdate(spec, oldSpec), ...validateGateUpdate(spec, oldSpec));
  if (!isEqualJson(withOldValues(spec, oldSpec), oldSpec))
    errors.push(forbiddenField("spec", `pod updates may not change fields other than ${mutableFields}\n`));
  return errors;
}

/** The deadline may be set and shortened. With `isEnd`, validation stops after its error. */
function validateDeadline(
  spec: JsonObject,
  oldSpec: JsonObject,
): { readonly errors: readonly FieldError[]; readonly isEnd: boolean } {
  const at = "spec.activeDeadlineSeconds";
  const deadline = pointedNumber(spec, "activeDeadlineSeconds");
  const old = pointedNumber(oldSpec, "activeDeadlineSeconds");
  if (deadline === undefined) {
    if (old === undefined) return { errors: [], isEnd: false };
    return {
      errors: [invalidValue(at, null, "must not update from a positive integer to nil value")],
      isEnd: false,
    };
  }
  if (deadline < 0 || deadline > maxInt32)
    return { errors: [invalidValue(at, deadline, rangeSentence(0, maxInt32))], isEnd: true };
  if (old !== undefined && old < deadline)
    return { errors: [invalidValue(at, deadline, "must be less than or equal to previous value")], isEnd: true };
  return { errors: [], isEnd: false };
}

function validateTolerationUpdate(spec: JsonObject, oldSpec: JsonObject): readonly FieldError[] {
  const tolerations = objectsAt(spec, "tolerations").map(withoutSeconds);
  const isKept = objectsAt(oldSpec, "tolerations").every((old) =>
    tolerations.some((toleration) => isEqualJson(toleration, withoutSeconds(old))),
  );
  if (isKept) return [];
  return [forbiddenField("spec.tolerations", "existing toleration can not be modified except its tolerationSeconds")];
}

function validateGateUpdate(spec: JsonObject, oldSpec: JsonObject): readonly FieldError[] {
  const known = new Set(objectsAt(oldSpec, "schedulingGates").map((gate) => textOf(gate, "name")));
  return objectsAt(spec, "schedulingGates").flatMap((gate, index) => {
    const name = textOf(gate, "name");
    if (known.has(name)) return [];
    return [
      forbiddenField(
        `spec.schedulingGates[${index}].name`,
        `only deletion is allowed, but found new scheduling gate '${name}'`,
      ),
    ];
  });
}

function withoutSeconds(toleration: JsonObject): DraftObject {
  const copy = copyJson(toleration);
  deleteKey(copy, "tolerationSeconds");
  return copy;
}

/**
 * The new spec with all mutable fields at their old values. It equals the old spec unless an immutable field changed.
 */
function withOldValues(spec: JsonObject, oldSpec: JsonObject): JsonObject {
  const munged = copyJson(spec);
  for (const list of ["containers", "initContainers"]) {
    const old = objectsAt(oldSpec, list);
    objectsAt(munged, list).forEach((container, index) => carry(container, old[index] ?? {}, "image"));
  }
  for (const key of ["activeDeadlineSeconds", "schedulingGates", "tolerations"]) carry(munged, oldSpec, key);
  const oldGrace = pointedNumber(oldSpec, "terminationGracePeriodSeconds") ?? 0;
  if (oldGrace < 0 && pointedNumber(munged, "terminationGracePeriodSeconds") === 1)
    carry(munged, oldSpec, "terminationGracePeriodSeconds");
  // Node selector and node affinity are mutable while the Pod has scheduling gates.
  if (objectsAt(oldSpec, "schedulingGates").length > 0) {
    carry(munged, oldSpec, "nodeSelector");
    const affinity = objectAt(munged, "affinity");
    if (affinity !== undefined) {
      carry(affinity, objectAt(oldSpec, "affinity") ?? {}, "nodeAffinity");
      if (Object.keys(affinity).length === 0) carry(munged, oldSpec, "affinity");
    }
  }
  return munged;
}

function carry(to: DraftObject, from: JsonObject, key: string): void {
  const value = getKey(from, key);
  if (value === undefined) deleteKey(to, key);
  else setKey(to, key, copyJson(value));
}
