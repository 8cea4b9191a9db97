// SPDX-License-Identifier: Apache-2.0
import { utf8ByteCount } from "../../../model/text.ts";
import { getKey, type JsonObject } from "../../json/json.ts";
import { listAt, objectAt, objectsAt, textOf, textsAt, valueAt } from "../../json/json-fields.ts";
import { createFormTest } from "../../metadata/name-rules.ts";
import {
  duplicateValue,
  type FieldError,
  invalidValue,
  notSupportedValue,
  requiredValue,
  tooLong,
} from "../../status/field-error.ts";
import { isSet, pointedNumber } from "../checks/object-fields.ts";
import { validateDescendingPath, validateLinuxId, validateOptionalChoice } from "./text-rules.ts";

const profileTypes = ["Localhost", "RuntimeDefault", "Unconfined"];

const sysctlPart = "[a-z0-9]([-_a-z0-9]*[a-z0-9])?";
const sysctlPattern = `(${sysctlPart}[\\./])*${sysctlPart}`;
const isSysctl = createFormTest({ pattern: sysctlPattern, words: "", examples: [] });
/** Kubernetes' limit for the name of a sysctl. */
const maxSysctlLength = 253;
/** PATH_MAX of Linux without its terminating zero. */
const maxProfileBytes = 4095;

/** Validates the security context of a container. */
export function validateContainerSecurity(
  context: JsonObject | undefined,
  field: string,
  hostUsers: boolean,
): readonly FieldError[] {
  if (context === undefined) return [];
  const procMount = getKey(context, "procMount");
  const errors = [
    ...validateLinuxId(`${field}.runAsUser`, pointedNumber(context, "runAsUser")),
    ...validateLinuxId(`${field}.runAsGroup`, pointedNumber(context, "runAsGroup")),
    ...validateOptionalChoice(`${field}.procMount`, procMount, ["Default", "Unmasked"]),
  ];
  if (hostUsers && procMount === "Unmasked")
    errors.push(invalidValue(`${field}.procMount`, procMount, "`hostUsers` must be false to use `Unmasked`"));
  errors.push(...validateSeccomp(objectAt(context, "seccompProfile"), `${field}.seccompProfile`));
  if (getKey(context, "allowPrivilegeEscalation") === false) {
    if (getKey(context, "privileged") === true)
      errors.push(
        invalidValue(field, context, "cannot set `allowPrivilegeEscalation` to false and `privileged` to true"),
      );
    if (textsAt(context, "capabilities", "add").includes("CAP_SYS_ADMIN"))
      errors.push(
        invalidValue(
          field,
          context,
          "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN",
        ),
      );
  }
  return [...errors, ...validateAppArmor(objectAt(context, "appArmorProfile"), `${field}.appArmorProfile`)];
}

/** Validates the pod-level security context. */
export function validatePodSecurity(spec: JsonObject, field: string): readonly FieldError[] {
  const context = objectAt(spec, "securityContext");
  if (context === undefined) return [];
  const at = `${field}.securityContext`;
  const groups = listAt(context, "supplementalGroups") ?? [];
  const errors = [
    ...["fsGroup", "runAsUser", "runAsGroup"].flatMap((key) =>
      validateLinuxId(`${at}.${key}`, pointedNumber(context, key)),
    ),
    ...groups.flatMap((group, index) =>
      validateLinuxId(`${at}.supplementalGroups[${index}]`, typeof group === "number" ? group : -1),
    ),
  ];
  if (valueAt(spec, "shareProcessNamespace") === true && valueAt(spec, "hostPID") === true)
    errors.push(
      invalidValue(`${at}.shareProcessNamespace`, true, "ShareProcessNamespace and HostPID cannot both be enabled"),
    );
  return [
    ...errors,
    ...validateSysctls(spec, context, `${at}.sysctls`),
    ...validateOptionalChoice(`${at}.fsGroupChangePolicy`, getKey(context, "fsGroupChangePolicy"), [
      "Always",
      "OnRootMismatch",
    ]),
    ...validateSeccomp(objectAt(context, "seccompProfile"), `${at}.seccompProfile`),
    ...validateAppArmor(objectAt(context, "appArmorProfile"), `${at}.appArmorProfile`),
    ...validateOptionalChoice(`${at}.supplementalGroupsPolicy`, getKey(context, "supplementalGroupsPolicy"), [
      "Merge",
      "Strict",
    ]),
    ...validateOptionalChoice(`${at}.seLinuxChangePolicy`, getKey(context, "seLinuxChangePolicy"), [
      "MountOption",
      "Recursive",
    ]),
  ];
}

function validateSysctls(spec: JsonObject, context: JsonObject, field: string): readonly FieldError[] {
  const seen = new Set<string>();
  return objectsAt(context, "sysctls").flatMap((sysctl, index) => {
    const at = `${field}[${index}].name`;
    const name = textOf(sysctl, "name");
    const errors: FieldError[] = [];
    if (name === "") errors.push(requiredValue(at));
    else if (name.length > maxSysctlLength || !isSysctl(name))
      errors.push(
        invalidValue(at, name, `must have at most ${maxSysctlLength} characters and match regex ^${sysctlPattern}$`),
      );
    else if (seen.has(name)) errors.push(duplicateValue(at, name));
    seen.add(name);
    return [...errors, ...validateHostSysctl(spec, name, at)];
  });
}

function validateHostSysctl(spec: JsonObject, name: string, field: string): readonly FieldError[] {
  const dotted = name.replaceAll("/", ".");
  if (getKey(spec, "hostNetwork") === true && dotted.startsWith("net."))
    return [invalidValue(field, name, "may not be specified when 'hostNetwork' is true")];
  const isIpc = /^(?:kernel\.shm|kernel\.msg|fs\.mqueue\.)/.test(dotted) || dotted === "kernel.sem";
  if (getKey(spec, "hostIPC") !== true || !isIpc) return [];
  return [invalidValue(field, name, "may not be specified when 'hostIPC' is true")];
}

function validateSeccomp(profile: JsonObject | undefined, field: string): readonly FieldError[] {
  if (profile === undefined) return [];
  const type = textOf(profile, "type");
  const at = `${field}.localhostProfile`;
  const errors: FieldError[] = [];
  if (type === "") errors.push(requiredValue(`${field}.type`, "type is required when seccompProfile is set"));
  else if (!profileTypes.includes(type)) errors.push(notSupportedValue(`${field}.type`, type, profileTypes));
  const isLocal = isSet(profile, "localhostProfile");
  if (type === "Localhost") {
    if (isLocal) errors.push(...validateDescendingPath(at, textOf(profile, "localhostProfile")));
    else errors.push(requiredValue(at, "must be set when seccomp type is Localhost"));
  } else if (isLocal) errors.push(invalidValue(at, profile, "can only be set when seccomp type is Localhost"));
  return errors;
}

function validateAppArmor(profile: JsonObject | undefined, field: string): readonly FieldError[] {
  if (profile === undefined) return [];
  const type = textOf(profile, "type");
  const at = `${field}.localhostProfile`;
  const name = textOf(profile, "localhostProfile");
  if (type === "") return [requiredValue(`${field}.type`, "type is required when appArmorProfile is set")];
  if (!profileTypes.includes(type)) return [notSupportedValue(`${field}.type`, type, profileTypes)];
  const isLocal = isSet(profile, "localhostProfile");
  if (type !== "Localhost")
    return isLocal ? [invalidValue(at, name, "can only be set when AppArmor type is Localhost")] : [];
  const errors: FieldError[] = [];
  if (name !== name.trim()) errors.push(invalidValue(at, name, "must not be padded with whitespace"));
  else if (name === "") errors.push(requiredValue(at, "must be set when AppArmor type is Localhost"));
  if (utf8ByteCount(name) > maxProfileBytes) errors.push(tooLong(at, maxProfileBytes));
  return errors;
}
