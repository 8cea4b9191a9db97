// SPDX-License-Identifier: Apache-2.0
import { getKey, type JsonObject } from "../../json/json.ts";
import { objectsAt, textOf, valueAt } from "../../json/json-fields.ts";
import {
  type FieldError,
  forbiddenField,
  invalidValue,
  notFoundValue,
  notSupportedValue,
  requiredValue,
} from "../../status/field-error.ts";
import { isSet } from "../checks/object-fields.ts";
import { requireText, validateDescendingPath, validateNoBacksteps, validateOptionalChoice } from "./text-rules.ts";

const propagations = ["Bidirectional", "HostToContainer", "None"];
const recursiveModes = ["Disabled", "Enabled", "IfPossible"];

/** Validates the volume mounts and volume devices of a container. */
export function validateMounts(
  container: JsonObject,
  volumes: ReadonlyMap<string, JsonObject>,
  field: string,
): readonly FieldError[] {
  const mounts = objectsAt(container, "volumeMounts");
  const devices = objectsAt(container, "volumeDevices");
  const isPrivileged = valueAt(container, "securityContext", "privileged") === true;
  const mountedPaths = new Set<string>();
  const seenDevices = { names: new Set<string>(), paths: new Set<string>() };
  return [
    ...mounts.flatMap((mount, index) => {
      const list = `${field}.volumeMounts`;
      return [
        ...validateMount(mount, `${list}[${index}]`, { volumes, devices, mountedPaths }),
        ...validateMountDetails(mount, list, `${list}[${index}]`, isPrivileged),
      ];
    }),
    ...devices.flatMap((device, index) =>
      validateDevice(device, `${field}.volumeDevices[${index}]`, { volumes, mounts, seenDevices }),
    ),
  ];
}

interface MountContext {
  readonly volumes: ReadonlyMap<string, JsonObject>;
  readonly devices: readonly JsonObject[];
  /** The paths of the mounts validated so far. */
  readonly mountedPaths: Set<string>;
}

function validateMount(
  mount: JsonObject,
  field: string,
  { volumes, devices, mountedPaths }: MountContext,
): readonly FieldError[] {
  const name = textOf(mount, "name");
  const path = textOf(mount, "mountPath");
  const errors = [...requireText(mount, "name", field)];
  if (!volumes.has(name)) errors.push(notFoundValue(`${field}.name`, name));
  if (path === "") errors.push(requiredValue(`${field}.mountPath`));
  if (mountedPaths.has(path)) errors.push(invalidValue(`${field}.mountPath`, path, "must be unique"));
  mountedPaths.add(path);
  if (devices.some((device) => textOf(device, "name") === name))
    errors.push(invalidValue(`${field}.name`, name, "must not already exist in volumeDevices"));
  if (devices.some((device) => textOf(device, "devicePath") === path))
    errors.push(invalidValue(`${field}.mountPath`, path, "must not already exist as a path in volumeDevices"));
  return errors;
}

/** Most errors name the list without the index, as in kube-apiserver. */
function validateMountDetails(
  mount: JsonObject,
  list: string,
  field: string,
  isPrivileged: boolean,
): readonly FieldError[] {
  const errors: FieldError[] = [];
  const subPath = textOf(mount, "subPath");
  const expression = textOf(mount, "subPathExpr");
  if (subPath !== "") errors.push(...validateDescendingPath(`${list}.subPath`, subPath));
  if (expression !== "") {
    if (subPath !== "")
      errors.push(invalidValue(`${field}.subPathExpr`, expression, "subPathExpr and subPath are mutually exclusive"));
    errors.push(...validateDescendingPath(`${list}.subPathExpr`, expression));
  }
  const propagation = getKey(mount, "mountPropagation");
  errors.push(...validateOptionalChoice(`${list}.mountPropagation`, propagation, propagations));
  if (propagation === "Bidirectional" && !isPrivileged)
    errors.push(
      forbiddenField(
        `${list}.mountPropagation`,
        "Bidirectional mount propagation is available only to privileged containers",
      ),
    );
  return [...errors, ...validateRecursiveReadOnly(mount, `${list}.recursiveReadOnly`)];
}

function validateRecursiveReadOnly(mount: JsonObject, field: string): readonly FieldError[] {
  const mode = getKey(mount, "recursiveReadOnly");
  if (typeof mode !== "string" || mode === "Disabled") return [];
  if (!recursiveModes.includes(mode)) return [notSupportedValue(field, mode, recursiveModes)];
  const errors: FieldError[] = [];
  if (getKey(mount, "readOnly") !== true)
    errors.push(forbiddenField(field, "may only be specified when readOnly is true"));
  if (isSet(mount, "mountPropagation") && textOf(mount, "mountPropagation") !== "None")
    errors.push(forbiddenField(field, "may only be specified when mountPropagation is None or not specified"));
  return errors;
}

interface DeviceContext {
  readonly volumes: ReadonlyMap<string, JsonObject>;
  readonly mounts: readonly JsonObject[];
  /** The names and paths of the devices validated so far. */
  readonly seenDevices: { readonly names: Set<string>; readonly paths: Set<string> };
}

function validateDevice(
  device: JsonObject,
  field: string,
  { volumes, mounts, seenDevices }: DeviceContext,
): readonly FieldError[] {
  const name = textOf(device, "name");
  const path = textOf(device, "devicePath");
  const errors = [...requireText(device, "name", field)];
  if (seenDevices.names.has(name)) errors.push(invalidValue(`${field}.name`, name, "must be unique"));
  const volume = volumes.get(name);
  if (volume === undefined) errors.push(notFoundValue(`${field}.name`, name));
  else if (!isSet(volume, "persistentVolumeClaim") && !isSet(volume, "ephemeral"))
    errors.push(
      invalidValue(
        `${field}.name`,
        name,
        "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode",
      ),
    );
  if (path === "") errors.push(requiredValue(`${field}.devicePath`));
  if (seenDevices.paths.has(path)) errors.push(invalidValue(`${field}.devicePath`, path, "must be unique"));
  if (validateNoBacksteps(field, path).length > 0)
    errors.push(invalidValue(`${field}.devicePath`, path, "can not contain backsteps ('..')"));
  else seenDevices.paths.add(path);
  if (mounts.some((mount) => textOf(mount, "name") === name))
    errors.push(invalidValue(`${field}.name`, name, "must not already exist in volumeMounts"));
  if (mounts.some((mount) => textOf(mount, "mountPath") === path))
    errors.push(invalidValue(`${field}.devicePath`, path, "must not already exist as a path in volumeMounts"));
  if (name !== "") seenDevices.names.add(name);
  return errors;
}
