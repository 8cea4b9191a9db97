// SPDX-License-Identifier: Apache-2.0
import { isObject, type JsonObject } from "../../json/json.ts";
import { objectAt, objectsAt, textOf } from "../../json/json-fields.ts";
import { dnsLabelErrors, dnsSubdomainErrors } from "../../metadata/name-rules.ts";
import {
  duplicateValue,
  type FieldError,
  forbiddenField,
  invalidValue,
  requiredValue,
} from "../../status/field-error.ts";
import { isSet } from "../checks/object-fields.ts";
import { invalidEach } from "./text-rules.ts";
import { validateVolumeSource, volumeSourceNames } from "./validate-volume-sources.ts";

/** The valid volumes by name, which mounts may refer to, and the errors of all volumes. */
export interface VolumeValidation {
  readonly byName: ReadonlyMap<string, JsonObject>;
  readonly errors: readonly FieldError[];
}

/** Validates the volumes of a pod spec. `podName` is empty for templates and generated names. */
export function validateVolumes(spec: JsonObject, field: string, podName: string): VolumeValidation {
  const volumes = objectsAt(spec, "volumes");
  const byName = new Map<string, JsonObject>();
  const errors: FieldError[] = [];
  const madeClaims = new Set(
    volumes.filter((volume) => isSet(volume, "ephemeral")).map((volume) => `${podName}-${textOf(volume, "name")}`),
  );
  for (const [index, volume] of volumes.entries()) {
    const at = `${field}[${index}]`;
    const name = textOf(volume, "name");
    const found = [...validateSources(volume, at, podName)];
    if (name === "") found.push(requiredValue(`${at}.name`));
    else found.push(...invalidEach(`${at}.name`, name, dnsLabelErrors(name, false)));
    if (byName.has(name)) found.push(duplicateValue(`${at}.name`, name));
    if (found.length === 0) byName.set(name, volume);
    errors.push(...found);
    const claim = textOf(volume, "persistentVolumeClaim", "claimName");
    if (podName !== "" && claim !== "" && madeClaims.has(claim))
      errors.push(
        invalidValue(
          `${at}.persistentVolumeClaim.claimName`,
          claim,
          "must not reference a PVC that gets created for an ephemeral volume",
        ),
      );
  }
  return { byName, errors };
}

function validateSources(volume: JsonObject, field: string, podName: string): readonly FieldError[] {
  const [first, ...others] = volumeSourceNames.filter((name) => isObject(objectAt(volume, name)));
  if (first === undefined) return [requiredValue(field, "must specify a volume type")];
  const errors = [...validateVolumeSource(first, objectAt(volume, first) ?? {}, `${field}.${first}`)];
  const volumeName = textOf(volume, "name");
  if (first === "ephemeral" && podName !== "" && volumeName !== "") {
    const claim = `${podName}-${volumeName}`;
    const sentences = dnsSubdomainErrors(claim, false).map(
      (sentence) => `PVC name ${JSON.stringify(claim)}: ${sentence}`,
    );
    errors.push(...invalidEach(`${field}.name`, volumeName, sentences));
  }
  for (const name of others)
    errors.push(forbiddenField(`${field}.${shownName(name)}`, "may not specify more than 1 volume type"));
  return errors;
}

/** kube-apiserver spells two sources differently in this error message. */
function shownName(source: string): string {
  if (source === "downwardAPI") return "downwarAPI";
  return source === "cephfs" ? "cephFS" : source;
}
