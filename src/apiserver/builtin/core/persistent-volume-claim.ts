// SPDX-License-Identifier: Apache-2.0
import {
  copyJson,
  type DraftObject,
  deleteKey,
  ensureObject,
  getKey,
  isEqualJson,
  type JsonObject,
  setKey,
} from "../../json/json.ts";
import { objectAt, textAt, textOf, valueAt } from "../../json/json-fields.ts";
import type { ObjectReader } from "../../resources/object-reader.ts";
import type { Strategy } from "../../resources/strategy.ts";
import { type FieldError, forbiddenField } from "../../status/field-error.ts";
import { immutable } from "../checks/field-checks.ts";
import { isSet, setIfEmpty } from "../checks/object-fields.ts";
import { keepStatus, resetStatus } from "../checks/status-checks.ts";
import { compareQuantities, isWholeQuantity } from "../pod-spec/quantity-value.ts";
import { validateClaimSpec } from "../pod-spec/validate-claim-spec.ts";
import { setClaimSpecDefaults } from "../pod-spec/volume-defaults.ts";
import { refusedByAdmission } from "./admission-refusal.ts";
import { refuseClaimBeyondLimits } from "./limit-range-admission.ts";
import { addFinalizer } from "./persistent-volume.ts";

const classes = "storage.k8s.io/storageclasses";
const defaultClassAnnotations = [
  "storageclass.kubernetes.io/is-default-class",
  "storageclass.beta.kubernetes.io/is-default-class",
];
const oldClassAnnotation = "volume.beta.kubernetes.io/storage-class";

const resetToPending = resetStatus({ phase: "Pending" });

/** PersistentVolumeClaims. The spec is nearly immutable; a bound claim may grow if its class allows expansion. */
export const persistentVolumeClaimStrategy: Strategy = {
  setDefaults(object) {
    setClaimSpecDefaults(ensureObject(object, "spec"));
    setIfEmpty(ensureObject(object, "status"), "phase", "Pending");
  },
  prepareForCreate(object, { objects }) {
    resetToPending(object);
    const spec = ensureObject(object, "spec");
    normaliseDataSource(spec, false);
    addFinalizer(object, "kubernetes.io/pvc-protection");
    const hasOldClass = valueAt(object, "metadata", "annotations", oldClassAnnotation) !== undefined;
    const className = isSet(spec, "storageClassName") || hasOldClass ? undefined : defaultClass(objects);
    if (className !== undefined) setKey(spec, "storageClassName", className);
    if (validateClaimSpec(spec, "spec").length === 0) refuseClaimBeyondLimits(object, objects);
  },
  prepareForUpdate(object, old, { objects }) {
    keepStatus(object, old);
    const isInUse =
      isSet(objectAt(old, "spec") ?? {}, "dataSource") || isSet(objectAt(old, "spec") ?? {}, "dataSourceRef");
    normaliseDataSource(ensureObject(object, "spec"), isInUse);
    refuseExpansion(object, old, objects);
  },
  validate: (object) => validateClaimSpec(objectAt(object, "spec") ?? {}, "spec"),
  validateUpdate: validateClaimUpdate,
  warnings(object) {
    const storage = requestedStorage(object);
    if (storage === "" || isWholeQuantity(storage)) return [];
    const shown = JSON.stringify(storage);
    return [`spec.resources.requests[storage]: fractional byte value ${shown} is invalid, must be an integer`];
  },
};

/** The newest StorageClass marked as default. Of classes of the same age, the first by name. */
function defaultClass(objects: ObjectReader): string | undefined {
  const [newest] = objects
    .list(classes)
    .filter((storageClass) =>
      defaultClassAnnotations.some((key) => textOf(storageClass, "metadata", "annotations", key) === "true"),
    )
    .toSorted((a, b) => {
      const [left, right] = [a, b].map((each) => textOf(each, "metadata", "creationTimestamp"));
      return left === right ? 0 : (left ?? "") < (right ?? "") ? 1 : -1;
    });
  return newest === undefined ? undefined : textOf(newest, "metadata", "name");
}

/**
 * Copies `dataSource` to `dataSourceRef`, or back, if only one is set. Drops a lone `dataSource` that is neither a
 * claim nor a snapshot, unless a data source was in use before.
 */
function normaliseDataSource(spec: DraftObject, wasInUse: boolean): void {
  const source = objectAt(spec, "dataSource");
  const ref = objectAt(spec, "dataSourceRef");
  if (source !== undefined && ref === undefined) {
    if (wasInUse || isClaimOrSnapshot(source)) setKey(spec, "dataSourceRef", copyJson(source));
    else deleteKey(spec, "dataSource");
  } else if (source === undefined && ref !== undefined && textOf(ref, "namespace") === "") {
    const copy = copyJson(ref);
    deleteKey(copy, "namespace");
    setKey(spec, "dataSource", copy);
  }
}

function isClaimOrSnapshot(source: JsonObject): boolean {
  const group = textOf(source, "apiGroup");
  const kind = textOf(source, "kind");
  return group === ""
    ? kind === "PersistentVolumeClaim"
    : group === "snapshot.storage.k8s.io" && kind === "VolumeSnapshot";
}

function refuseExpansion(object: JsonObject, old: JsonObject, objects: ObjectReader): void {
  if (compareQuantities(requestedStorage(object), requestedStorage(old)) <= 0) return;
  // validateUpdate rejects a new size of a claim that is not bound.
  if (textOf(old, "status", "phase") !== "Bound") return;
  const name = textOf(object, "spec", "storageClassName");
  const storageClass = name === textOf(old, "spec", "storageClassName") ? objects.get(classes, "", name) : undefined;
  if (storageClass === undefined || getKey(storageClass, "allowVolumeExpansion") !== true)
    throw refusedByAdmission(
      "persistentvolumeclaims",
      object,
      "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize",
    );
}

function validateClaimUpdate(object: JsonObject, old: JsonObject): readonly FieldError[] {
  const spec = copyJson(objectAt(object, "spec") ?? {});
  const oldSpec = copyJson(objectAt(old, "spec") ?? {});
  const oldClass = textAt(old, "spec", "storageClassName");
  if (textOf(oldSpec, "volumeName") === "") carry(oldSpec, spec, "volumeName");
  if (oldClass === undefined) carry(oldSpec, spec, "storageClassName");
  if (textOf(object, "status", "phase") === "Bound") {
    const requests = objectAt(spec, "resources", "requests");
    if (requests !== undefined) setKey(requests, "storage", requestedStorage(old));
    carry(spec, oldSpec, "volumeAttributesClassName");
  }
  const errors: FieldError[] = [];
  if (!isEqualJson(spec, oldSpec))
    errors.push(
      forbiddenField(
        "spec",
        "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims\n",
      ),
    );
  const size = requestedStorage(object);
  const hasShrunk = compareQuantities(size, requestedStorage(old)) < 0;
  if (hasShrunk && compareQuantities(size, textOf(old, "status", "capacity", "storage")) <= 0)
    errors.push(forbiddenField("spec.resources.requests.storage", "field can not be less than status.capacity"));
  return [
    ...errors,
    ...immutable(valueAt(object, "spec", "volumeMode"), valueAt(old, "spec", "volumeMode"), "volumeMode"),
  ];
}

function requestedStorage(object: JsonObject): string {
  return textOf(object, "spec", "resources", "requests", "storage");
}

/** Copies a field from one draft to another. Removes it if it is absent. */
function carry(to: DraftObject, from: DraftObject, key: string): void {
  const value = getKey(from, key);
  if (value === undefined) deleteKey(to, key);
  else setKey(to, key, value);
}
