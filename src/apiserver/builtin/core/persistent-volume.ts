// SPDX-License-Identifier: Apache-2.0
import { copyJson, type DraftObject, ensureObject, getKey, type JsonObject, setKey } from "../../json/json.ts";
import { objectAt, textAt, textOf, textsAt } from "../../json/json-fields.ts";
import { sortedKeys } from "../../metadata/label-rules.ts";
import { dnsSubdomainErrors } from "../../metadata/name-rules.ts";
import type { Strategy } from "../../resources/strategy.ts";
import { formatTime } from "../../schema-decode/go-time.ts";
import {
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupportedValue,
  requiredValue,
} from "../../status/field-error.ts";
import { immutable, isSameValue } from "../checks/field-checks.ts";
import { setIfAbsent, setIfEmpty } from "../checks/object-fields.ts";
import { keepStatus } from "../checks/status-checks.ts";
import { compareQuantities, roundResourceList } from "../pod-spec/quantity-value.ts";
import { invalidEach, requireText, validateOptionalChoice } from "../pod-spec/text-rules.ts";
import { validateNodeSelector } from "../pod-spec/validate-affinity.ts";
import { validateAccessModes, volumeModes } from "../pod-spec/validate-claim-spec.ts";
import { validateHostPath, validateNfs } from "../pod-spec/validate-volume-sources.ts";
import { setStorageSourceDefaults } from "../pod-spec/volume-defaults.ts";

const sourceNames = [
  "hostPath",
  "gcePersistentDisk",
  "awsElasticBlockStore",
  "glusterfs",
  "flocker",
  "nfs",
  "rbd",
  "quobyte",
  "cephfs",
  "iscsi",
  "cinder",
  "fc",
  "flexVolume",
  "azureFile",
  "vsphereVolume",
  "photonPersistentDisk",
  "portworxVolume",
  "azureDisk",
  "scaleIO",
  "local",
  "storageos",
  "csi",
] as const;

const recycleWarning =
  "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.";

const reclaimPolicies = ["Delete", "Recycle", "Retain"];

/** PersistentVolumes. The volume source is immutable. A finalizer keeps a volume while a claim uses it. */
export const persistentVolumeStrategy: Strategy = {
  setDefaults(object) {
    const spec = ensureObject(object, "spec");
    setIfEmpty(spec, "persistentVolumeReclaimPolicy", "Retain");
    setIfAbsent(spec, "volumeMode", "Filesystem");
    roundResourceList(objectAt(spec, "capacity"));
    setStorageSourceDefaults(spec);
    setIfEmpty(ensureObject(object, "status"), "phase", "Pending");
  },
  prepareForCreate(object, { nowMs }) {
    setKey(object, "status", { phase: "Pending", lastPhaseTransitionTime: formatTime(nowMs) });
    addFinalizer(object, "kubernetes.io/pv-protection");
  },
  prepareForUpdate: keepStatus,
  validate: (object) => validateVolumeSpec(objectAt(object, "spec") ?? {}),
  validateUpdate(object, old) {
    const spec = objectAt(object, "spec") ?? {};
    const oldSpec = objectAt(old, "spec") ?? {};
    const isMoved = sourceNames.some((name) => !isSameValue(getKey(spec, name), getKey(oldSpec, name)));
    return [
      ...(isMoved
        ? [forbiddenField("spec.persistentvolumesource", "spec.persistentvolumesource is immutable after creation\n")]
        : []),
      ...immutable(getKey(spec, "volumeMode"), getKey(oldSpec, "volumeMode"), "volumeMode"),
    ];
  },
  warnings: (object) => (textOf(object, "spec", "persistentVolumeReclaimPolicy") === "Recycle" ? [recycleWarning] : []),
  prepareForStatusUpdate(object, old) {
    const spec = getKey(old, "spec");
    if (spec !== undefined) setKey(object, "spec", copyJson(spec));
    const status = ensureObject(object, "status");
    const time = textAt(old, "status", "lastPhaseTransitionTime");
    if (textOf(status, "phase") === textOf(old, "status", "phase") && time !== undefined)
      setIfAbsent(status, "lastPhaseTransitionTime", time);
  },
};

function validateVolumeSpec(spec: JsonObject): readonly FieldError[] {
  const modes = textsAt(spec, "accessModes");
  const className = textOf(spec, "storageClassName");
  const reclaimPolicy = textOf(spec, "persistentVolumeReclaimPolicy");
  const selector = objectAt(spec, "nodeAffinity", "required");
  const hasAffinity = objectAt(spec, "nodeAffinity") !== undefined;
  const errors = modes.length === 0 ? [requiredValue("spec.accessModes")] : [];
  errors.push(...validateAccessModes(modes, "spec.accessModes"), ...validateCapacity(spec));
  if (reclaimPolicy !== "" && !reclaimPolicies.includes(reclaimPolicy))
    errors.push(notSupportedValue("spec.persistentVolumeReclaimPolicy", reclaimPolicy, reclaimPolicies));
  if (hasAffinity) {
    if (selector === undefined)
      errors.push(requiredValue("spec.nodeAffinity.required", "must specify required node constraints"));
    else errors.push(...validateNodeSelector(selector, "spec.nodeAffinity.required"));
  }
  errors.push(...validateSource(spec, hasAffinity));
  if (textOf(spec, "hostPath", "path") === "/" && reclaimPolicy === "Recycle")
    errors.push(
      forbiddenField("spec.persistentVolumeReclaimPolicy", "may not be 'recycle' for a hostPath mount of '/'"),
    );
  if (className !== "")
    errors.push(...invalidEach("spec.storageClassName", className, dnsSubdomainErrors(className, false)));
  return [...errors, ...validateOptionalChoice("spec.volumeMode", getKey(spec, "volumeMode"), volumeModes)];
}

function validateCapacity(spec: JsonObject): readonly FieldError[] {
  const at = "spec.capacity";
  const capacity = objectAt(spec, "capacity") ?? {};
  const names = sortedKeys(capacity);
  const errors = names.length === 0 ? [requiredValue(at)] : [];
  if (names.length !== 1 || names[0] !== "storage")
    errors.push(
      notSupportedValue(
        at,
        names.length === 0 ? null : Object.fromEntries(names.map((name) => [name, textOf(capacity, name)])),
        ["storage"],
      ),
    );
  for (const name of names) {
    const amount = textOf(capacity, name);
    if (compareQuantities(amount, "0") <= 0)
      errors.push(invalidValue(`${at}[${name}]`, amount, "must be greater than zero"));
  }
  return errors;
}

function validateSource(spec: JsonObject, hasAffinity: boolean): readonly FieldError[] {
  const [first, ...others] = sourceNames.filter((name) => objectAt(spec, name) !== undefined);
  if (first === undefined) return [requiredValue("spec", "must specify a volume type")];
  const source = objectAt(spec, first) ?? {};
  const at = `spec.${first}`;
  return [
    ...validateSourceFields(first, source, at),
    ...(first === "local" && !hasAffinity
      ? [requiredValue("spec.nodeAffinity", "Local volume requires node affinity")]
      : []),
    ...others.map((name) => forbiddenField(`spec.${name}`, "may not specify more than 1 volume type")),
  ];
}

function validateSourceFields(kind: string, source: JsonObject, field: string): readonly FieldError[] {
  switch (kind) {
    case "hostPath":
      return validateHostPath(source, field);
    case "nfs":
      return validateNfs(source, field);
    case "local":
      return requireText(source, "path", field);
    case "csi":
      return [...requireText(source, "driver", field), ...requireText(source, "volumeHandle", field)];
    default:
      return [];
  }
}

/** Adds the finalizer that keeps an object while other objects use it. */
export function addFinalizer(object: DraftObject, finalizer: string): void {
  const metadata = ensureObject(object, "metadata");
  const finalizers = textsAt(metadata, "finalizers");
  if (!finalizers.includes(finalizer)) metadata["finalizers"] = [...finalizers, finalizer];
}
