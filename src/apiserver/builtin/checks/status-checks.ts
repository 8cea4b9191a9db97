// SPDX-License-Identifier: Apache-2.0
// The initial status of new objects, and rules for the numbers in a status.

import {
  copyJson,
  type DraftObject,
  deleteKey,
  ensureObject,
  getKey,
  type JsonObject,
  setKey,
} from "../../json/json.ts";
import { countOf, objectAt, valueAt } from "../../json/json-fields.ts";
import { type FieldError, invalidValue } from "../../status/field-error.ts";
import { isSameValue, nonNegative } from "./field-checks.ts";
import { pointedNumber } from "./object-fields.ts";

/** Returns a function that replaces the client's status of a new object with a copy of `empty`. */
export function resetStatus(empty: JsonObject): (object: DraftObject) => void {
  return (object) => setKey(object, "status", copyJson(empty));
}

/** Restores the old status: only the status subresource changes it. */
export function keepStatus(object: DraftObject, old: JsonObject): void {
  const status = getKey(old, "status");
  if (status === undefined) deleteKey(object, "status");
  else setKey(object, "status", copyJson(status));
}

/** `counts` must not be negative; `partsOfReplicas` must not exceed `status.replicas`. */
export interface ReplicaCounts {
  readonly counts: readonly string[];
  readonly partsOfReplicas: readonly string[];
  /** The name of the ready replicas in the error about available ones. Without it, that check is skipped. */
  readonly readyName?: string;
}

/** Validates that the replica counts in a status are consistent. */
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

/** Returns an error if the count of hash collisions decreased. */
export function validateCollisionCount(object: JsonObject, old: JsonObject): readonly FieldError[] {
  const before = pointedNumber(old, "status", "collisionCount");
  const after = pointedNumber(object, "status", "collisionCount");
  const isLess = before !== undefined && (after === undefined || after < before);
  return isLess ? [invalidValue("status.collisionCount", after ?? 0, "cannot be decremented")] : [];
}

/**
 * Sets the generation to that of `old` plus one if the value at the path changed. For kinds whose generation does not
 * count exactly the changes of the desired state.
 */
export function countChangeAt(object: DraftObject, old: JsonObject, ...path: readonly string[]): void {
  if (isSameValue(valueAt(object, ...path), valueAt(old, ...path))) return;
  ensureObject(object, "metadata")["generation"] = countOf(old, "metadata", "generation") + 1;
}
