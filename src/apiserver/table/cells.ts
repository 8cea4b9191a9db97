// SPDX-License-Identifier: Apache-2.0
// Cells of many kinds. Missing fields have Go's zero values, because rows of bookmarks are printed from nearly empty
// objects.

import { type Json, type JsonObject } from "../json/json.ts";
import { numberAt, objectAt, objectsAt, textAt, textOf, valueAt } from "../json/json-fields.ts";
import { ageOf } from "./age.ts";

export function nameOf(object: JsonObject): string {
  return textAt(object, "metadata", "name") ?? "";
}

/** The time since the object's creation. */
export function ageCell(object: JsonObject, nowMs: number): string {
  return ageOf(textAt(object, "metadata", "creationTimestamp"), nowMs);
}

/** The text at a path, or `instead` if it is empty. */
export function textOr(instead: string, object: Json, ...path: readonly string[]): string {
  const text = textOf(object, ...path);
  return text === "" ? instead : text;
}

/** The number at a path; zero if absent. */
export function countCell(object: Json, ...path: readonly string[]): number {
  return numberAt(object, ...path) ?? 0;
}

export function booleanCell(object: Json, ...path: readonly string[]): boolean {
  return valueAt(object, ...path) === true;
}

/** The number of entries of a map. */
export function entryCount(object: Json, ...path: readonly string[]): number {
  return Object.keys(objectAt(object, ...path) ?? {}).length;
}

export function isBeingDeleted(object: JsonObject): boolean {
  return textAt(object, "metadata", "deletionTimestamp") !== undefined;
}

/** Names and images of a Pod spec's containers. */
export function containerCells(podSpec: JsonObject | undefined): readonly [names: string, images: string] {
  const containers = objectsAt(podSpec ?? {}, "containers");
  const join = (key: string): string => containers.map((container) => textOf(container, key)).join(",");
  return [join("name"), join("image")];
}

/** The first items, and the number of further ones. */
export function joinFirst(items: readonly string[], maxCount: number, separator = ","): string {
  const shown = items.slice(0, maxCount).join(separator);
  return items.length > maxCount ? `${shown} + ${items.length - maxCount} more...` : shown;
}
