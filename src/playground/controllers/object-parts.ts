// SPDX-License-Identifier: Apache-2.0
// Reading stored objects as controllers see them: absent counts are 0, absent texts are empty, as Go reads them.
import {
  type Draft,
  type DraftObject,
  isList,
  isObject,
  type JsonObject,
  objectAt,
  textAt,
  valueAt,
} from "../../apiserver/json/json.ts";

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

/** `metadata.labels`; an empty object where there are none. */
export function labelsOf(object: JsonObject): JsonObject {
  return objectAt(object, "metadata", "labels") ?? {};
}

/** One of `metadata.annotations`. */
export function annotationOf(object: JsonObject, name: string): string | undefined {
  return textAt(object, "metadata", "annotations", name);
}

/** It has been deleted and is only waiting for its grace or finalizers to end. */
export function isTerminating(object: JsonObject): boolean {
  return textAt(object, "metadata", "deletionTimestamp") !== undefined;
}

/** The text at the end of a path; empty where there is none. */
export function textOf(value: JsonObject, ...path: readonly string[]): string {
  return textAt(value, ...path) ?? "";
}

/** The number at the end of a path that Go holds by pointer: undefined where there is none. */
export function countAt(value: JsonObject, ...path: readonly string[]): number | undefined {
  const found = valueAt(value, ...path);
  if (typeof found === "bigint") return Number(found);
  return typeof found === "number" ? found : undefined;
}

/** The number at the end of a path; 0 where there is none. */
export function countOf(value: JsonObject, ...path: readonly string[]): number {
  return countAt(value, ...path) ?? 0;
}

/** The objects in the list at the end of a path; none where there is no list. */
export function objectsAt(value: JsonObject, ...path: readonly string[]): readonly JsonObject[] {
  const found = valueAt(value, ...path);
  return isList(found) ? found.filter((each) => isObject(each)) : [];
}

/** The texts in the list at the end of a path; none where there is no list. */
export function textsAt(value: JsonObject, ...path: readonly string[]): readonly string[] {
  const found = valueAt(value, ...path);
  return isList(found) ? found.filter((each) => typeof each === "string") : [];
}

/** Milliseconds since 1970 of a time at the end of a path; undefined where there is none. */
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

/** The condition is there and its status is `True`: unknown is not true. */
export function isConditionTrue(object: JsonObject, type: string): boolean {
  const condition = conditionOf(object, type);
  return condition !== undefined && textAt(condition, "status") === "True";
}

/** The object's fields without those whose value is what Go leaves out: 0, empty text, false, empty list, undefined. */
export function withoutEmpty(object: { readonly [key: string]: Draft | undefined }): DraftObject {
  const kept = Object.entries(object).filter(
    (entry): entry is [string, Draft] => entry[1] !== undefined && !isEmptyValue(entry[1]),
  );
  return Object.fromEntries(kept);
}

function isEmptyValue(value: Draft): boolean {
  return value === 0 || value === "" || value === false || (isList(value) && value.length === 0);
}
