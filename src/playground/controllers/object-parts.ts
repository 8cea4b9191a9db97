// SPDX-License-Identifier: Apache-2.0
// Reads stored objects as controllers do: absent counts are 0 and absent texts are empty, as in Go.

import { type Draft, type DraftObject, isList, type JsonObject } from "../../apiserver/json/json.ts";
import { objectAt, objectsAt, textAt, textOf, valueAt } from "../../apiserver/json/json-fields.ts";

/** `metadata.name` */
export function nameOf(object: JsonObject): string {
  return textOf(object, "metadata", "name");
}

/** `metadata.namespace`; empty for cluster-wide objects. */
export function namespaceOf(object: JsonObject): string {
  return textOf(object, "metadata", "namespace");
}

/** `metadata.uid` */
export function uidOf(object: JsonObject): string {
  return textOf(object, "metadata", "uid");
}

/** `metadata.labels`; an empty object if absent. */
export function labelsOf(object: JsonObject): JsonObject {
  return objectAt(object, "metadata", "labels") ?? {};
}

/** One of `metadata.annotations`. */
export function annotationOf(object: JsonObject, name: string): string | undefined {
  return textAt(object, "metadata", "annotations", name);
}

/** Whether it has been deleted and waits for its grace period or finalizers. */
export function isTerminating(object: JsonObject): boolean {
  return textAt(object, "metadata", "deletionTimestamp") !== undefined;
}

/** The number at the path; undefined if absent, like a Go pointer. */
export function countAt(value: JsonObject, ...path: readonly string[]): number | undefined {
  const found = valueAt(value, ...path);
  if (typeof found === "bigint") return Number(found);
  return typeof found === "number" ? found : undefined;
}

/** The time at the path in milliseconds since 1970; undefined if absent. */
export function timeAt(value: JsonObject, ...path: readonly string[]): number | undefined {
  const found = textAt(value, ...path);
  if (found === undefined) return undefined;
  const parsed = Date.parse(found);
  return Number.isNaN(parsed) ? undefined : parsed;
}

/** The condition of that type in `status.conditions`. */
export function conditionOf(object: JsonObject, type: string): JsonObject | undefined {
  return objectsAt(object, "status", "conditions").find((each) => textAt(each, "type") === type);
}

/** Whether the condition exists with status `True`. */
export function isConditionTrue(object: JsonObject, type: string): boolean {
  const condition = conditionOf(object, type);
  return condition !== undefined && textAt(condition, "status") === "True";
}

/** The object without fields whose value Go omits: 0, empty text, false, empty list, undefined. */
export function withoutEmpty(object: { readonly [key: string]: Draft | undefined }): DraftObject {
  const kept = Object.entries(object).filter(
    (entry): entry is [string, Draft] => entry[1] !== undefined && !isEmptyValue(entry[1]),
  );
  return Object.fromEntries(kept);
}

function isEmptyValue(value: Draft): boolean {
  return value === 0 || value === "" || value === false || (isList(value) && value.length === 0);
}
