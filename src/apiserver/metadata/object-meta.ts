// SPDX-License-Identifier: Apache-2.0
// The metadata rules of every kind, with kube-apiserver's messages and order.

import { compareUtf8, utf8ByteCount } from "../../model/text.ts";
import { type DraftObject, deleteKey, getKey, isObject, type Json, type JsonObject } from "../json/json.ts";
import { objectAt, textAt, textsAt } from "../json/json-fields.ts";
import { type FieldError, forbiddenField, invalidValue, requiredValue, tooLong } from "../status/field-error.ts";
import { labelKeyErrors, sortedKeys, validateLabels } from "./label-rules.ts";
import { dnsLabelErrors, type NameRule } from "./name-rules.ts";
import { validateOwnerReferences } from "./owner-references.ts";

/** Kubernetes' limit for all annotations of an object, keys and values. */
const maxAnnotationBytes = 256 * 1024;

export interface ObjectMetaRules {
  readonly namespaced: boolean;
  readonly nameErrors: NameRule;
  /**
   * Whether finalizers must be well known or have a prefix, as for built-in kinds. False by default, as for custom
   * resources.
   */
  readonly builtin?: boolean;
  /** The location of the metadata: `metadata`, or that of a template. */
  readonly field?: string;
}

/** Errors in the metadata of any write. generateName must be resolved before. */
export function validateObjectMeta(
  meta: JsonObject,
  { namespaced, nameErrors, builtin = false, field = "metadata" }: ObjectMetaRules,
): readonly FieldError[] {
  return [
    ...validateNames(meta, nameErrors, field),
    ...validateNamespace(textAt(meta, "namespace") ?? "", namespaced, field),
    ...validateGeneration(meta, field),
    ...validateLabels(getKey(meta, "labels"), `${field}.labels`),
    ...validateAnnotations(getKey(meta, "annotations"), `${field}.annotations`),
    ...validateOwnerReferences(getKey(meta, "ownerReferences"), `${field}.ownerReferences`),
    ...validateFinalizers(textsAt(meta, "finalizers"), `${field}.finalizers`),
    ...(builtin ? validateKnownFinalizers(textsAt(meta, "finalizers"), `${field}.finalizers`) : []),
  ];
}

/**
 * Errors in metadata that replaces another. Fields that a client cannot change (creation time, a deletion time once
 * set) must be restored before. As in kube-apiserver, `validateObjectMeta` checks the form of finalizers instead.
 */
export function validateObjectMetaUpdate(
  meta: JsonObject,
  oldMeta: JsonObject,
  field = "metadata",
): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (isSet(getKey(oldMeta, "deletionTimestamp")))
    errors.push(...validateNoNewFinalizers(meta, oldMeta, `${field}.finalizers`));
  if ((textAt(meta, "resourceVersion") ?? "") === "")
    errors.push(invalidValue(`${field}.resourceVersion`, "", "must be specified for an update"));
  if (integerAt(meta, "generation") < integerAt(oldMeta, "generation"))
    errors.push(invalidValue(`${field}.generation`, integerAt(meta, "generation"), "must not be decremented"));
  for (const { name, empty } of immutableParts) {
    const value = getKey(meta, name) ?? empty;
    if (value !== (getKey(oldMeta, name) ?? empty))
      errors.push(invalidValue(`${field}.${name}`, value, "field is immutable"));
  }
  errors.push(
    ...validateLabels(getKey(meta, "labels"), `${field}.labels`),
    ...validateAnnotations(getKey(meta, "annotations"), `${field}.annotations`),
    ...validateOwnerReferences(getKey(meta, "ownerReferences"), `${field}.ownerReferences`),
  );
  return errors;
}

/** Errors in annotations, sorted by key (kube-apiserver's order is random). `annotations` may be absent. */
export function validateAnnotations(annotations: Json | undefined, field: string): readonly FieldError[] {
  if (!isObject(annotations)) return [];
  const keys = sortedKeys(annotations);
  const errors = keys.flatMap((key) =>
    labelKeyErrors(key.toLowerCase()).map((error) => invalidValue(field, key, error)),
  );
  const byteCount = keys.reduce(
    (sum, key) => sum + utf8ByteCount(key) + utf8ByteCount(textAt(annotations, key) ?? ""),
    0,
  );
  return byteCount > maxAnnotationBytes ? [...errors, tooLong(field, maxAnnotationBytes)] : errors;
}

/** The immutable fields, with the value that stands for an absent one. */
const immutableParts: readonly { readonly name: string; readonly empty: Json }[] = [
  { name: "name", empty: "" },
  { name: "namespace", empty: "" },
  { name: "uid", empty: "" },
  { name: "creationTimestamp", empty: null },
  { name: "deletionTimestamp", empty: null },
  { name: "deletionGracePeriodSeconds", empty: null },
];

function validateNames(meta: JsonObject, nameErrors: NameRule, field: string): readonly FieldError[] {
  const generateName = textAt(meta, "generateName") ?? "";
  const name = textAt(meta, "name") ?? "";
  const wrongPrefix = generateName === "" ? [] : nameErrors(generateName, true);
  const wrongName = nameErrors(name, false);
  return [
    ...wrongPrefix.map((error) => invalidValue(`${field}.generateName`, generateName, error)),
    ...(name === ""
      ? [requiredValue(`${field}.name`, "name or generateName is required")]
      : wrongName.map((error) => invalidValue(`${field}.name`, name, error))),
  ];
}

function validateNamespace(namespace: string, namespaced: boolean, field: string): readonly FieldError[] {
  if (!namespaced) return namespace === "" ? [] : [forbiddenField(`${field}.namespace`, "not allowed on this type")];
  if (namespace === "") return [requiredValue(`${field}.namespace`)];
  return dnsLabelErrors(namespace, false).map((error) => invalidValue(`${field}.namespace`, namespace, error));
}

function validateGeneration(meta: JsonObject, field: string): readonly FieldError[] {
  const generation = integerAt(meta, "generation");
  if (generation >= 0) return [];
  return [invalidValue(`${field}.generation`, generation, "must be greater than or equal to 0")];
}

function validateFinalizers(finalizers: readonly string[], field: string): readonly FieldError[] {
  const errors = finalizers.flatMap((finalizer) =>
    labelKeyErrors(finalizer).map((error) => invalidValue(field, finalizer, error)),
  );
  if (finalizers.includes("orphan") && finalizers.includes("foregroundDeletion"))
    errors.push(invalidValue(field, finalizers, "finalizer orphan and foregroundDeletion cannot be both set"));
  return errors;
}

/** Well-known finalizers without a prefix. */
const knownFinalizers: ReadonlySet<string> = new Set(["kubernetes", "orphan", "foregroundDeletion"]);

function validateKnownFinalizers(finalizers: readonly string[], field: string): readonly FieldError[] {
  const because = "name is neither a standard finalizer name nor is it fully qualified";
  return finalizers.flatMap((finalizer, index) =>
    finalizer.includes("/") || knownFinalizers.has(finalizer)
      ? []
      : [invalidValue(`${field}[${index}]`, finalizer, because)],
  );
}

function validateNoNewFinalizers(meta: JsonObject, oldMeta: JsonObject, field: string): readonly FieldError[] {
  const old = new Set(textsAt(oldMeta, "finalizers"));
  const added = new Set(textsAt(meta, "finalizers").filter((finalizer) => !old.has(finalizer)));
  if (added.size === 0) return [];
  const list = [...added].sort(compareUtf8).map((finalizer) => JSON.stringify(finalizer));
  const because = "no new finalizers can be added if the object is being deleted";
  return [forbiddenField(field, `${because}, found new finalizers []string{${list.join(", ")}}`)];
}

function isSet(value: Json | undefined): boolean {
  return value !== undefined && value !== null;
}

function integerAt(meta: JsonObject, key: string): number | bigint {
  const value = getKey(meta, key);
  return typeof value === "number" || typeof value === "bigint" ? value : 0;
}

/**
 * Drops `metadata.managedFields`. Without server-side apply this server tracks no field managers and accepts none from
 * clients.
 */
export function stripManagedFields(object: DraftObject): void {
  const metadata = objectAt(object, "metadata");
  if (metadata !== undefined) deleteKey(metadata, "managedFields");
}
