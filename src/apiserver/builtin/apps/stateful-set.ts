// SPDX-License-Identifier: Apache-2.0
import { type DraftObject, deleteKey, ensureObject, getKey, type JsonObject } from "../../json/json.ts";
import { objectAt, textOf } from "../../json/json-fields.ts";
import { dnsLabelErrors } from "../../metadata/name-rules.ts";
import type { Strategy } from "../../resources/strategy.ts";
import { type FieldError, forbiddenField } from "../../status/field-error.ts";
import { isSameValue, objectOf } from "../checks/field-checks.ts";
import { without } from "../checks/go-values-in-messages.ts";
import { pointedNumber, setIfAbsent, setIfEmpty } from "../checks/object-fields.ts";
import { templateWarnings } from "../checks/pod-template-checks.ts";
import { keepStatus, resetStatus, validateCollisionCount, validateReplicaCounts } from "../checks/status-checks.ts";
import { setPodTemplateDefaults } from "../pod-spec/pod-spec-defaults.ts";
import { validateStatefulSet } from "./stateful-set-validation.ts";
import { setClaimTemplateDefaults } from "./volume-claim-templates.ts";

function setDefaults(object: DraftObject): void {
  const spec = ensureObject(object, "spec");
  setPodTemplateDefaults(ensureObject(spec, "template"));
  setClaimTemplateDefaults(spec);
  setIfEmpty(spec, "podManagementPolicy", "OrderedReady");
  setUpdateStrategyDefaults(ensureObject(spec, "updateStrategy"));
  const retention = ensureObject(spec, "persistentVolumeClaimRetentionPolicy");
  setIfEmpty(retention, "whenDeleted", "Retain");
  setIfEmpty(retention, "whenScaled", "Retain");
  setIfAbsent(spec, "replicas", 1);
  setIfAbsent(spec, "revisionHistoryLimit", 10);
}

/** `partition` gets its default only if the type is absent or `rollingUpdate` is given. */
function setUpdateStrategyDefaults(strategy: DraftObject): void {
  if (textOf(strategy, "type") === "") {
    strategy["type"] = "RollingUpdate";
    ensureObject(strategy, "rollingUpdate");
  }
  const rollingUpdate = objectAt(strategy, "rollingUpdate");
  if (textOf(strategy, "type") === "RollingUpdate" && rollingUpdate !== undefined)
    setIfAbsent(rollingUpdate, "partition", 0);
}

/** Drops `maxUnavailable` of a rolling update, unless it was set before: its feature gate is off in kube-apiserver. */
function dropDisabled(object: DraftObject, old: JsonObject | undefined): void {
  const path = ["spec", "updateStrategy", "rollingUpdate"];
  const before = old === undefined ? undefined : objectAt(old, ...path);
  if (before !== undefined && (getKey(before, "maxUnavailable") ?? null) !== null) return;
  const rollingUpdate = objectAt(object, ...path);
  if (rollingUpdate !== undefined) deleteKey(rollingUpdate, "maxUnavailable");
}

/** The mutable fields of the spec, in the order of the error message. */
const changeable = [
  "replicas",
  "ordinals",
  "template",
  "updateStrategy",
  "revisionHistoryLimit",
  "persistentVolumeClaimRetentionPolicy",
  "minReadySeconds",
];

function validateUpdate(object: JsonObject, old: JsonObject): readonly FieldError[] {
  const rest = without(objectOf(object, "spec"), ...changeable);
  if (isSameValue(rest, without(objectOf(old, "spec"), ...changeable))) return [];
  const named = changeable.map((name) => `'${name}'`);
  const list = `${named.slice(0, -1).join(", ")} and ${named.at(-1) ?? ""}`;
  return [forbiddenField("spec", `updates to statefulset spec for fields other than ${list} are forbidden`)];
}

const statusCounts = {
  counts: [
    "replicas",
    "readyReplicas",
    "currentReplicas",
    "updatedReplicas",
    "availableReplicas",
    "observedGeneration",
    "collisionCount",
  ],
  partsOfReplicas: ["readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"],
  readyName: "status.readyReplicas",
};

const resetReplicaStatus = resetStatus({ replicas: 0, availableReplicas: 0 });

function historyWarnings(object: JsonObject): readonly string[] {
  const limit = pointedNumber(object, "spec", "revisionHistoryLimit");
  if (limit === undefined || limit >= 0) return [];
  return ["spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended"];
}

/** StatefulSets. */
export const statefulSetStrategy: Strategy = {
  setDefaults,
  prepareForCreate(object) {
    resetReplicaStatus(object);
    dropDisabled(object, undefined);
  },
  prepareForUpdate(object, old) {
    keepStatus(object, old);
    dropDisabled(object, old);
  },
  validate: validateStatefulSet,
  validateUpdate,
  validateStatusUpdate: (object, old) => [
    ...validateReplicaCounts(object, statusCounts),
    ...validateCollisionCount(object, old),
  ],
  warnings: (object, old) => [...templateWarnings(object, old), ...historyWarnings(object)],
  nameErrors: dnsLabelErrors,
  countsGenerations: true,
};
