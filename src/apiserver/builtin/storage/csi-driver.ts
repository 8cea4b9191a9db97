// SPDX-License-Identifier: Apache-2.0
import { type DraftObject, deleteKey, ensureObject, getKey, type JsonObject } from "../../json/json.ts";
import { objectAt, objectsAt, textOf, textsAt } from "../../json/json-fields.ts";
import type { Strategy } from "../../resources/strategy.ts";
import { duplicateValue, type FieldError, invalidValue, notSupportedValue } from "../../status/field-error.ts";
import { immutable, isSameValue, objectOf, oneOf } from "../checks/field-checks.ts";
import { isSet, pointedNumber, setIfAbsent } from "../checks/object-fields.ts";
import { countChangeAt } from "../checks/status-checks.ts";

// Kubernetes' limits, in seconds.
const minTokenSeconds = 600;
const maxTokenSeconds = 2 ** 32;
const minUpdateSeconds = 10;

const lifecycleModes = ["Persistent", "Ephemeral"];

function setDefaults(object: DraftObject): void {
  const spec = ensureObject(object, "spec");
  setIfAbsent(spec, "attachRequired", true);
  for (const key of ["podInfoOnMount", "storageCapacity", "requiresRepublish", "seLinuxMount"])
    setIfAbsent(spec, key, false);
  setIfAbsent(spec, "fsGroupPolicy", "ReadWriteOnceWithFSType");
  if (textsAt(spec, "volumeLifecycleModes").length === 0) spec["volumeLifecycleModes"] = ["Persistent"];
}

/** Drops a field whose feature gate is off in kube-apiserver. */
function dropDisabled(object: DraftObject): void {
  const spec = objectAt(object, "spec");
  if (spec !== undefined) deleteKey(spec, "preventPodSchedulingIfMissing");
}

function validate(object: JsonObject): readonly FieldError[] {
  const spec = objectOf(object, "spec");
  const policies = ["File", "None", "ReadWriteOnceWithFSType"];
  const period = pointedNumber(spec, "nodeAllocatableUpdatePeriodSeconds");
  const requests = objectsAt(spec, "tokenRequests");
  const inSecrets = getKey(spec, "serviceAccountTokenInSecrets") ?? null;
  const unused = "serviceAccountTokenInSecrets is set but no tokenRequests are specified";
  return [
    ...oneOf(getKey(spec, "fsGroupPolicy"), policies, "spec.fsGroupPolicy"),
    ...validateTokenRequests(requests),
    ...textsAt(spec, "volumeLifecycleModes")
      .filter((mode) => !lifecycleModes.includes(mode))
      .map((mode) => notSupportedValue("spec.volumeLifecycleModes", mode, lifecycleModes)),
    ...(period !== undefined && period < minUpdateSeconds
      ? [
          invalidValue(
            "spec.nodeAllocatableUpdatePeriodSeconds",
            period,
            `must be greater than or equal to ${minUpdateSeconds} seconds`,
          ),
        ]
      : []),
    ...(inSecrets !== null && requests.length === 0
      ? [invalidValue("spec.serviceAccountTokenInSecrets", inSecrets, unused)]
      : []),
  ];
}

function validateTokenRequests(requests: readonly JsonObject[]): readonly FieldError[] {
  const audiences = new Set<string>();
  return requests.flatMap((request, index) => {
    const field = `spec.tokenRequests[${index}]`;
    const audience = textOf(request, "audience");
    if (audiences.has(audience)) return [duplicateValue(`${field}.audience`, audience)];
    audiences.add(audience);
    const seconds = pointedNumber(request, "expirationSeconds");
    if (seconds === undefined) return [];
    if (seconds < minTokenSeconds)
      return [invalidValue(`${field}.expirationSeconds`, seconds, "may not specify a duration less than 10 minutes")];
    return seconds > maxTokenSeconds
      ? [invalidValue(`${field}.expirationSeconds`, seconds, "may not specify a duration larger than 2^32 seconds")]
      : [];
  });
}

function warnings(object: JsonObject, old: JsonObject | undefined): readonly string[] {
  const spec = objectOf(object, "spec");
  const requests = getKey(spec, "tokenRequests");
  const isNews = old === undefined || !isSameValue(requests, getKey(objectOf(old, "spec"), "tokenRequests"));
  const isDoubtful = objectsAt(spec, "tokenRequests").length > 0 && !isSet(spec, "serviceAccountTokenInSecrets");
  const text =
    "spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes";
  return isNews && isDoubtful ? [text] : [];
}

/** CSIDrivers. Their generation starts at 0, which is not shown. */
export const csiDriverStrategy: Strategy = {
  setDefaults,
  prepareForCreate: dropDisabled,
  prepareForUpdate(object, old) {
    dropDisabled(object);
    countChangeAt(object, old, "spec");
  },
  validate,
  validateUpdate(object, old) {
    const now = objectOf(object, "spec");
    const before = objectOf(old, "spec");
    return [
      ...immutable(getKey(now, "attachRequired"), getKey(before, "attachRequired"), "spec.attachedRequired"),
      ...immutable(
        getKey(now, "volumeLifecycleModes"),
        getKey(before, "volumeLifecycleModes"),
        "spec.volumeLifecycleModes",
      ),
    ];
  },
  warnings,
  allowsUnconditionalUpdate: false,
};
