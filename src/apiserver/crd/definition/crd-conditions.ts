// SPDX-License-Identifier: Apache-2.0
// Conditions of a CustomResourceDefinition, and the finalizer that keeps it while its objects are deleted.

import { copyJson, type DraftObject, type JsonObject } from "../../json/json.ts";
import { objectsAt, textAt, textsAt } from "../../json/json-fields.ts";

/** Keeps a deleted definition until its objects are deleted. */
export const cleanupFinalizer = "customresourcecleanup.apiextensions.k8s.io";

export type ConditionType = "NamesAccepted" | "Established" | "Terminating";

export interface CrdCondition {
  readonly type: ConditionType;
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
}

/** The names are accepted: the API may be served. */
export const establishedCondition: CrdCondition = {
  type: "Established",
  status: "True",
  reason: "InitialNamesAccepted",
  message: "the initial names have been accepted",
};

/** The conditions of a deletion, in their order. */
export const terminatingConditions = {
  /** Set together with the deletionTimestamp. */
  pending: terminating(
    "True",
    "InstanceDeletionPending",
    "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
  ),
  inProgress: terminating("True", "InstanceDeletionInProgress", "CustomResource deletion is in progress"),
  finished: terminating("False", "InstanceDeletionCompleted", "removed all instances"),
  /** The names were never accepted, so there are no objects. */
  neverEstablished: terminating("False", "NeverEstablished", "resource was never established"),
} as const;

export function findCondition(crd: JsonObject, type: ConditionType): JsonObject | undefined {
  return objectsAt(crd, "status", "conditions").find((condition) => textAt(condition, "type") === type);
}

export function isConditionTrue(crd: JsonObject, type: ConditionType): boolean {
  const found = findCondition(crd, type);
  return found !== undefined && textAt(found, "status") === "True";
}

/** Sets a condition in a copy of the list. lastTransitionTime changes only with the status. `time` is RFC 3339. */
export function withCondition(conditions: readonly JsonObject[], condition: CrdCondition, time: string): DraftObject[] {
  const known = conditions.find((one) => textAt(one, "type") === condition.type);
  const isSame = known !== undefined && textAt(known, "status") === condition.status;
  const since = isSame ? (textAt(known, "lastTransitionTime") ?? time) : time;
  const written: DraftObject = {
    type: condition.type,
    status: condition.status,
    lastTransitionTime: since,
    reason: condition.reason,
    message: condition.message,
  };
  if (known === undefined) return [...conditions.map((one) => copyJson(one)), written];
  return conditions.map((one) => (one === known ? { ...copyJson(one), ...written } : copyJson(one)));
}

/** The finalizers of a deleted definition, including the cleanup finalizer. */
export function finalizersForDeletion(crd: JsonObject): readonly string[] {
  const finalizers = textsAt(crd, "metadata", "finalizers");
  return finalizers.includes(cleanupFinalizer) ? finalizers : [...finalizers, cleanupFinalizer];
}

function terminating(status: "True" | "False", reason: string, message: string): CrdCondition {
  return { type: "Terminating", status, reason, message };
}
