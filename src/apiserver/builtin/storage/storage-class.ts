// SPDX-License-Identifier: Apache-2.0
import { utf8ByteCount } from "../../../model/text.ts";
import { type DraftObject, getKey, type JsonObject } from "../../json/json.ts";
import { textOf } from "../../json/json-fields.ts";
import { labelKeyErrors } from "../../metadata/label-rules.ts";
import type { Strategy } from "../../resources/strategy.ts";
import { type FieldError, invalidValue, requiredValue, tooLong } from "../../status/field-error.ts";
import { immutable, objectOf, oneOf } from "../checks/field-checks.ts";
import { shownMap } from "../checks/go-values-in-messages.ts";
import { setIfAbsent } from "../checks/object-fields.ts";
import { invalidEach } from "../pod-spec/text-rules.ts";
import { topologyWarnings, validateAllowedTopologies } from "./allowed-topologies.ts";

// Kubernetes' limits.
const maxParameterCount = 512;
const maxParameterBytes = 256 * 1024;

function setDefaults(object: DraftObject): void {
  setIfAbsent(object, "reclaimPolicy", "Delete");
  setIfAbsent(object, "volumeBindingMode", "Immediate");
}

function validate(object: JsonObject): readonly FieldError[] {
  const reclaimPolicy = textOf(object, "reclaimPolicy");
  return [
    ...validateProvisioner(textOf(object, "provisioner").toLowerCase()),
    ...validateParameters(objectOf(object, "parameters")),
    ...(reclaimPolicy === "" ? [] : oneOf(reclaimPolicy, ["Delete", "Retain"], "reclaimPolicy")),
    ...oneOf(getKey(object, "volumeBindingMode"), ["Immediate", "WaitForFirstConsumer"], "volumeBindingMode"),
    ...validateAllowedTopologies(object),
  ];
}

function validateProvisioner(provisioner: string): readonly FieldError[] {
  if (provisioner === "") return [requiredValue("provisioner")];
  return invalidEach("provisioner", provisioner, labelKeyErrors(provisioner));
}

function validateParameters(parameters: JsonObject): readonly FieldError[] {
  const entries = Object.entries(parameters);
  if (entries.length > maxParameterCount) return [tooLong("parameters", maxParameterCount)];
  const bytes = entries.reduce(
    (sum, [key, value]) => sum + utf8ByteCount(key) + (typeof value === "string" ? utf8ByteCount(value) : 0),
    0,
  );
  return [
    ...(Object.hasOwn(parameters, "") ? [invalidValue("parameters", "", "field can not be empty.")] : []),
    ...(bytes > maxParameterBytes ? [tooLong("parameters", maxParameterBytes)] : []),
  ];
}

function validateUpdate(object: JsonObject, old: JsonObject): readonly FieldError[] {
  const unchanged = (name: string): readonly FieldError[] => immutable(getKey(object, name), getKey(old, name), name);
  return [
    ...immutable(shownMap(getKey(object, "parameters")), shownMap(getKey(old, "parameters")), "parameters"),
    ...["provisioner", "reclaimPolicy", "volumeBindingMode"].flatMap(unchanged),
  ];
}

/** StorageClasses. */
export const storageClassStrategy: Strategy = { setDefaults, validate, validateUpdate, warnings: topologyWarnings };
