// SPDX-License-Identifier: Apache-2.0
import { getKey, type JsonObject } from "../../json/json.ts";
import { objectAt, objectsAt, textOf } from "../../json/json-fields.ts";
import { type FieldError, forbiddenField, invalidValue, requiredValue } from "../../status/field-error.ts";
import { pointedNumber } from "../checks/object-fields.ts";
import { compareQuantities } from "./quantity-value.ts";
import {
  requireText,
  validateDescendingPath,
  validateFileMode,
  validateFilePath,
  validateNoBacksteps,
  validateOptionalChoice,
} from "./text-rules.ts";
import { validateClaimTemplate } from "./validate-claim-spec.ts";
import { validateFieldRef, validateResourceFieldRef, volumeFieldPaths } from "./validate-env.ts";

/** Volume sources in the order in which the API checks them. The first is used; further ones are errors. */
export const volumeSourceNames = [
  "emptyDir",
  "hostPath",
  "gitRepo",
  "gcePersistentDisk",
  "awsElasticBlockStore",
  "secret",
  "nfs",
  "iscsi",
  "glusterfs",
  "flocker",
  "persistentVolumeClaim",
  "rbd",
  "cinder",
  "cephfs",
  "quobyte",
  "downwardAPI",
  "fc",
  "flexVolume",
  "configMap",
  "azureFile",
  "vsphereVolume",
  "photonPersistentDisk",
  "portworxVolume",
  "azureDisk",
  "storageos",
  "projected",
  "scaleIO",
  "csi",
  "ephemeral",
  "image",
] as const;

const hostPathTypes = [
  "",
  "BlockDevice",
  "CharDevice",
  "Directory",
  "DirectoryOrCreate",
  "File",
  "FileOrCreate",
  "Socket",
];

/** Kubernetes' bounds for the lifetime of a projected token, in seconds. */
const minTokenSeconds = 600;
const maxTokenSeconds = 2 ** 32;

/** Validates a volume source. The fields of sources that are not listed here are not validated. */
export function validateVolumeSource(kind: string, source: JsonObject, field: string): readonly FieldError[] {
  switch (kind) {
    case "emptyDir":
      return validateEmptyDir(source, field);
    case "hostPath":
      return validateHostPath(source, field);
    case "secret":
      return [...requireText(source, "secretName", field), ...validateKeyedFiles(source, field)];
    case "configMap":
      return [...requireText(source, "name", field), ...validateKeyedFiles(source, field)];
    case "nfs":
      return validateNfs(source, field);
    case "persistentVolumeClaim":
      return requireText(source, "claimName", field);
    case "downwardAPI":
      return [...validateDefaultMode(source, field), ...validateDownwardItems(source, field)];
    case "projected":
      return [...validateDefaultMode(source, field), ...validateProjected(source, field)];
    case "csi":
      return requireText(source, "driver", field);
    case "gitRepo":
      return [
        ...requireText(source, "repository", field),
        ...validateDescendingPath(`${field}.directory`, textOf(source, "directory")),
      ];
    case "ephemeral": {
      const template = objectAt(source, "volumeClaimTemplate");
      if (template === undefined) return [requiredValue(`${field}.volumeClaimTemplate`)];
      return validateClaimTemplate(template, `${field}.volumeClaimTemplate`);
    }
    case "image":
      return requireText(source, "reference", field);
    default:
      return [];
  }
}

/** Validates a hostPath of a Pod's volume or a PersistentVolume. */
export function validateHostPath(source: JsonObject, field: string): readonly FieldError[] {
  const path = textOf(source, "path");
  if (path === "") return [requiredValue(`${field}.path`)];
  return [
    ...validateNoBacksteps(`${field}.path`, path),
    ...validateOptionalChoice(`${field}.type`, getKey(source, "type"), hostPathTypes),
  ];
}

export function validateNfs(source: JsonObject, field: string): readonly FieldError[] {
  const path = textOf(source, "path");
  const isAbsolute = path.startsWith("/");
  return [
    ...requireText(source, "server", field),
    ...requireText(source, "path", field),
    ...(isAbsolute ? [] : [invalidValue(`${field}.path`, path, "must be an absolute path")]),
  ];
}

function validateEmptyDir(source: JsonObject, field: string): readonly FieldError[] {
  if (compareQuantities(textOf(source, "sizeLimit"), "0") >= 0) return [];
  return [forbiddenField(`${field}.sizeLimit`, "SizeLimit field must be a valid resource quantity")];
}

function validateDefaultMode(source: JsonObject, field: string): readonly FieldError[] {
  return validateFileMode(`${field}.defaultMode`, pointedNumber(source, "defaultMode"));
}

function validateKeyedFiles(source: JsonObject, field: string): readonly FieldError[] {
  return [
    ...validateDefaultMode(source, field),
    ...objectsAt(source, "items").flatMap((item, index) => validateKeyToPath(item, `${field}.items[${index}]`)),
  ];
}

function validateKeyToPath(item: JsonObject, field: string): readonly FieldError[] {
  return [
    ...requireText(item, "key", field),
    ...requireText(item, "path", field),
    ...validateFilePath(`${field}.path`, textOf(item, "path")),
    ...validateFileMode(`${field}.mode`, pointedNumber(item, "mode")),
  ];
}

function validateDownwardItems(source: JsonObject, field: string): readonly FieldError[] {
  return objectsAt(source, "items").flatMap((item) => validateDownwardFile(item, field));
}

function validateDownwardFile(item: JsonObject, field: string): readonly FieldError[] {
  const fieldRef = objectAt(item, "fieldRef");
  const resourceRef = objectAt(item, "resourceFieldRef");
  const errors = [...requireText(item, "path", field), ...validateFilePath(`${field}.path`, textOf(item, "path"))];
  if (fieldRef !== undefined) {
    errors.push(...validateFieldRef(fieldRef, `${field}.fieldRef`, volumeFieldPaths));
    if (resourceRef !== undefined)
      errors.push(invalidValue(field, "resource", "fieldRef and resourceFieldRef can not be specified simultaneously"));
  } else if (resourceRef !== undefined)
    errors.push(...validateResourceFieldRef(resourceRef, `${field}.resourceFieldRef`, true));
  else errors.push(requiredValue(field, "one of fieldRef and resourceFieldRef is required"));
  errors.push(...validateFileMode(`${field}.mode`, pointedNumber(item, "mode")));
  return errors;
}

function validateProjected(projected: JsonObject, field: string): readonly FieldError[] {
  const paths = new Set<string>();
  const errors: FieldError[] = [];
  const claimPath = (path: string, named: string): void => {
    if (path === "") return;
    if (paths.has(path)) errors.push(invalidValue(field, named, "conflicting duplicate paths"));
    paths.add(path);
  };
  for (const [index, source] of objectsAt(projected, "sources").entries()) {
    const at = `${field}.sources[${index}]`;
    for (const kind of ["secret", "configMap"]) {
      const keyed = objectAt(source, kind);
      if (keyed === undefined) continue;
      errors.push(...requireText(keyed, "name", `${at}.${kind}`));
      for (const [itemIndex, item] of objectsAt(keyed, "items").entries()) {
        errors.push(...validateKeyToPath(item, `${at}.${kind}.items[${itemIndex}]`));
        claimPath(textOf(item, "path"), textOf(keyed, "name"));
      }
    }
    for (const item of objectsAt(objectAt(source, "downwardAPI") ?? {}, "items")) {
      errors.push(...validateDownwardFile(item, `${at}.downwardAPI`));
      claimPath(textOf(item, "path"), textOf(item, "path"));
    }
    errors.push(...validateToken(objectAt(source, "serviceAccountToken"), field, `${at}.serviceAccountToken`));
    if (Object.keys(source).filter((key) => objectAt(source, key) !== undefined).length > 1)
      errors.push(forbiddenField(at, "may not specify more than 1 volume type per source"));
  }
  return errors;
}

/** The error about a path does not name the projected source, as in kube-apiserver. */
function validateToken(token: JsonObject | undefined, field: string, at: string): readonly FieldError[] {
  if (token === undefined) return [];
  const seconds = pointedNumber(token, "expirationSeconds") ?? 0;
  const errors: FieldError[] = [];
  if (seconds < minTokenSeconds)
    errors.push(invalidValue(`${at}.expirationSeconds`, seconds, "may not specify a duration less than 10 minutes"));
  if (seconds > maxTokenSeconds)
    errors.push(
      invalidValue(`${at}.expirationSeconds`, seconds, "may not specify a duration larger than 2^32 seconds"),
    );
  const path = textOf(token, "path");
  if (path === "") errors.push(requiredValue(`${field}.path`));
  else errors.push(...validateFilePath(`${field}.path`, path));
  return errors;
}
