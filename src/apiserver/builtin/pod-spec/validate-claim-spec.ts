// SPDX-License-Identifier: Apache-2.0
import { getKey, isEqualJson, type JsonObject } from "../../json/json.ts";
import { objectAt, textAt, textOf, textsAt } from "../../json/json-fields.ts";
import { validateLabelSelector, validateLabels } from "../../metadata/label-rules.ts";
import { dnsLabelErrors, dnsSubdomainErrors } from "../../metadata/name-rules.ts";
import {
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupportedValue,
  requiredValue,
} from "../../status/field-error.ts";
import { quantityNanos } from "./quantity-value.ts";
import { invalidEach, requireText, validateOptionalChoice } from "./text-rules.ts";

/** Access modes of volumes, in the order of the error messages. */
export const accessModes = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];

/** Volume modes, in the order of the error messages. */
export const volumeModes = ["Block", "Filesystem"];

/** Validates the spec of a PersistentVolumeClaim. */
export function validateClaimSpec(spec: JsonObject, field: string): readonly FieldError[] {
  return [
    ...validateModes(spec, field),
    ...validateStorage(spec, field),
    ...validateClassName(spec, "storageClassName", field),
    ...validateOptionalChoice(`${field}.volumeMode`, getKey(spec, "volumeMode"), volumeModes),
    ...validateDataSource(objectAt(spec, "dataSource"), `${field}.dataSource`),
    ...validateDataSource(objectAt(spec, "dataSourceRef"), `${field}.dataSourceRef`),
    ...validateSourcePair(spec, field),
    ...validateClassName(spec, "volumeAttributesClassName", field),
  ];
}

/** Validates the claim template of an ephemeral volume. */
export function validateClaimTemplate(template: JsonObject, field: string): readonly FieldError[] {
  const metadata = objectAt(template, "metadata") ?? {};
  const others = Object.keys(metadata).filter((key) => !["labels", "annotations", "creationTimestamp"].includes(key));
  return [
    ...validateLabels(getKey(metadata, "labels"), `${field}.metadata.labels`),
    ...others.map((key) => forbiddenField(`${field}.metadata.${key}`, "cannot be set")),
    ...validateClaimSpec(objectAt(template, "spec") ?? {}, `${field}.spec`),
  ];
}

/** Validates a list of access modes. An empty list is valid. */
export function validateAccessModes(modes: readonly string[], field: string): readonly FieldError[] {
  const known = modes.filter((mode) => accessModes.includes(mode));
  const mixes = known.includes("ReadWriteOncePod") && known.some((mode) => mode !== "ReadWriteOncePod");
  return [
    ...modes.filter((mode) => !accessModes.includes(mode)).map((mode) => notSupportedValue(field, mode, accessModes)),
    ...(mixes ? [forbiddenField(field, "may not use ReadWriteOncePod with other access modes")] : []),
  ];
}

function validateModes(spec: JsonObject, field: string): readonly FieldError[] {
  const modes = textsAt(spec, "accessModes");
  const at = `${field}.accessModes`;
  return [
    ...(modes.length === 0 ? [requiredValue(at, "at least 1 access mode is required")] : []),
    ...validateLabelSelector(getKey(spec, "selector"), `${field}.selector`),
    ...validateAccessModes(modes, at),
  ];
}

function validateStorage(spec: JsonObject, field: string): readonly FieldError[] {
  const at = `${field}.resources[storage]`;
  const storage = textAt(spec, "resources", "requests", "storage");
  if (storage === undefined) return [requiredValue(at)];
  return (quantityNanos(storage) ?? 0n) > 0n ? [] : [invalidValue(at, storage, "must be greater than zero")];
}

function validateClassName(spec: JsonObject, key: string, field: string): readonly FieldError[] {
  const name = textOf(spec, key);
  return name === "" ? [] : invalidEach(`${field}.${key}`, name, dnsSubdomainErrors(name, false));
}

function validateDataSource(source: JsonObject | undefined, field: string): readonly FieldError[] {
  if (source === undefined) return [];
  const group = textOf(source, "apiGroup");
  const kind = textOf(source, "kind");
  const namespace = textOf(source, "namespace");
  const isForeign = group === "" && kind !== "PersistentVolumeClaim";
  const detail = "must be 'PersistentVolumeClaim' when referencing the default apiGroup";
  return [
    ...requireText(source, "name", field),
    ...requireText(source, "kind", field),
    ...(isForeign ? [invalidValue(field, kind, detail)] : []),
    ...(group === "" ? [] : invalidEach(`${field}.apiGroup`, group, dnsSubdomainErrors(group, false))),
    ...(namespace === "" ? [] : invalidEach(`${field}.namespace`, namespace, dnsLabelErrors(namespace, false))),
  ];
}

function validateSourcePair(spec: JsonObject, field: string): readonly FieldError[] {
  const source = objectAt(spec, "dataSource");
  const ref = objectAt(spec, "dataSourceRef");
  if (source === undefined || ref === undefined) return [];
  if (textOf(ref, "namespace") !== "")
    return [
      invalidValue(field, `${field}.dataSource`, "may not be specified when dataSourceRef.namespace is specified"),
    ];
  const isSame = ["apiGroup", "kind", "name"].every((key) => isEqualJson(getKey(source, key), getKey(ref, key)));
  return isSame ? [] : [invalidValue(field, `${field}.dataSource`, "must match dataSourceRef")];
}
