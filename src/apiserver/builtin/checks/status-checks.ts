// SPDX-License-Identifier: Apache-2.0
// Statuses of kinds: what they are before a controller has looked, and how their numbers relate.
import { copyJson, type DraftObject, deleteKey, getKey, type JsonObject, objectAt, setKey } from "../../json/json.ts";
import { type FieldError, invalidValue } from "../../status/field-error.ts";
import { countOf, pointedNumber } from "../pod-spec/pod-spec-fields.ts";
import { nonNegative } from "./field-checks.ts";

/** Replaces whatever status a client sent by the one that a newborn object has. */
export function resetStatus(empty: JsonObject): (object: DraftObject) => void {
  return (object) => setKey(object, "status", copyJson(empty));
}

/** Carries the status over: only the status subresource changes it. */
export function keepStatus(object: DraftObject, old: JsonObject): void {
  const status = getKey(old, "status");
  if (status === undefined) deleteKey(object, "status");
  else setKey(object, "status", copyJson(status));
}

/** Counts of the status that may not be negative, and those that may not exceed `status.replicas`. */
export interface ReplicaCounts {
  readonly counts: readonly string[];
  readonly partsOfReplicas: readonly string[];
  /** How the sentence about available replicas names the ready ones. */
  readonly readyName?: string;
}

/** The numbers of a status of replicas fit together. */
export function validateReplicaCounts(object: JsonObject, rules: ReplicaCounts): readonly FieldError[] {
  const status = objectAt(object, "status") ?? {};
  const replicas = countOf(status, "replicas");
  const available = countOf(status, "availableReplicas");
  return [
    ...rules.counts.flatMap((name) => nonNegative(status, "status", name)),
    ...rules.partsOfReplicas
      .filter((name) => countOf(status, name) > replicas)
      .map((name) => invalidValue(`status.${name}`, countOf(status, name), "cannot be greater than status.replicas")),
    ...(rules.readyName !== undefined && available > countOf(status, "readyReplicas")
      ? [invalidValue("status.availableReplicas", available, `cannot be greater than ${rules.readyName}`)]
      : []),
  ];
}

/** The count of hash collisions only grows. */
export function validateCollisionCount(object: JsonObject, old: JsonObject): readonly FieldError[] {
  const before = pointedNumber(old, "status", "collisionCount");
  const after = pointedNumber(object, "status", "collisionCount");
  const isLess = before !== undefined && (after === undefined || after < before);
  return isLess ? [invalidValue("status.collisionCount", after ?? 0, "cannot be decremented")] : [];
}
