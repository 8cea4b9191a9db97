// SPDX-License-Identifier: Apache-2.0
import { type DraftObject, ensureObject, type JsonObject } from "../../json/json.ts";
import { textAt, textOf, textsAt } from "../../json/json-fields.ts";
import { labelKeyErrors } from "../../metadata/label-rules.ts";
import { dnsLabelErrors } from "../../metadata/name-rules.ts";
import type { Strategy } from "../../resources/strategy.ts";
import { type FieldError, invalidValue } from "../../status/field-error.ts";
import { setIfEmpty } from "../checks/object-fields.ts";
import { keepStatus, resetStatus } from "../checks/status-checks.ts";
import { invalidEach } from "../pod-spec/text-rules.ts";

/** Namespaces that cannot be deleted: the server needs them. */
export const protectedNamespaces: ReadonlySet<string> = new Set(["default", "kube-system", "kube-public"]);

/** Holds the namespace's name, for label selectors. */
const nameLabel = "kubernetes.io/metadata.name";

const standardFinalizers = new Set(["kubernetes", "orphan", "foregroundDeletion"]);

const resetToActive = resetStatus({ phase: "Active" });

/** Namespaces. After creation, `spec.finalizers` changes only through the finalize subresource. */
export const namespaceStrategy: Strategy = {
  setDefaults(object) {
    setNameLabel(object);
    setIfEmpty(ensureObject(object, "status"), "phase", "Active");
  },
  prepareForCreate(object) {
    resetToActive(object);
    setNameLabel(object);
    const spec = ensureObject(object, "spec");
    const finalizers = textsAt(spec, "finalizers");
    if (!finalizers.includes("kubernetes")) spec["finalizers"] = [...finalizers, "kubernetes"];
  },
  prepareForUpdate(object, old) {
    keepStatus(object, old);
    const finalizers = textsAt(old, "spec", "finalizers");
    if (finalizers.length === 0) delete ensureObject(object, "spec")["finalizers"];
    else ensureObject(object, "spec")["finalizers"] = [...finalizers];
  },
  validate: (object) =>
    textsAt(object, "spec", "finalizers").flatMap((name) => validateFinalizer(name, "spec.finalizers")),
  validateStatusUpdate(object) {
    const phase = textOf(object, "status", "phase");
    const isDeleted = textAt(object, "metadata", "deletionTimestamp") !== undefined;
    if (phase === (isDeleted ? "Terminating" : "Active")) return [];
    const detail = isDeleted
      ? "may only be 'Terminating' if `deletionTimestamp` is not empty"
      : "may only be 'Active' if `deletionTimestamp` is empty";
    return [invalidValue("status.Phase", phase, detail)];
  },
  validateFinalizeUpdate: validateFinalize,
  nameErrors: dnsLabelErrors,
  selectableFieldNames: ["status.phase"],
  selectableFields: (object) => ({ "status.phase": textOf(object, "status", "phase") }),
};

/** Validates the finalizers in a write to the finalize subresource. */
export function validateFinalize(object: JsonObject): readonly FieldError[] {
  return textsAt(object, "spec", "finalizers").flatMap((name, index) =>
    validateFinalizer(name, `spec.finalizers[${index}]`),
  );
}

function setNameLabel(object: DraftObject): void {
  const name = textOf(object, "metadata", "name");
  if (name !== "") ensureObject(ensureObject(object, "metadata"), "labels")[nameLabel] = name;
}

function validateFinalizer(name: string, field: string): readonly FieldError[] {
  const isKnown = name.includes("/") || standardFinalizers.has(name);
  const detail = "name is neither a standard finalizer name nor is it fully qualified";
  return [...invalidEach(field, name, labelKeyErrors(name)), ...(isKnown ? [] : [invalidValue(field, name, detail)])];
}
