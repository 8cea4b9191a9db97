// SPDX-License-Identifier: Apache-2.0
// What cells of many kinds are made of. Fields that are missing count as Go's zero values: rows of bookmarks are printed from objects that are all but empty.
import { isObject, type Json, type JsonObject, listAt, numberAt, objectAt, textAt, valueAt } from "../json/json.ts";
import { ageOf } from "./age.ts";

export function nameOf(object: JsonObject): string {
  return textAt(object, "metadata", "name") ?? "";
}

/** How long ago the object was made. */
export function ageCell(object: JsonObject, nowMs: number): string {
  return ageOf(textAt(object, "metadata", "creationTimestamp"), nowMs);
}

/** The text at a path; empty where there is none. */
export function textCell(object: Json, ...path: readonly string[]): string {
  return textAt(object, ...path) ?? "";
}

/** The text at a path, or what stands for an empty one. */
export function textOr(instead: string, object: Json, ...path: readonly string[]): string {
  const text = textCell(object, ...path);
  return text === "" ? instead : text;
}

/** The number at a path; zero where there is none. */
export function countCell(object: Json, ...path: readonly string[]): number {
  return numberAt(object, ...path) ?? 0;
}

export function booleanCell(object: Json, ...path: readonly string[]): boolean {
  return valueAt(object, ...path) === true;
}

/** The objects of a list; none where there is no list. */
export function objectsAt(object: Json, ...path: readonly string[]): readonly JsonObject[] {
  return (listAt(object, ...path) ?? []).filter((item) => isObject(item));
}

/** The texts of a list; none where there is no list. */
export function textsAt(object: Json, ...path: readonly string[]): readonly string[] {
  return (listAt(object, ...path) ?? []).filter((item) => typeof item === "string");
}

/** How many entries a map has. */
export function entryCount(object: Json, ...path: readonly string[]): number {
  return Object.keys(objectAt(object, ...path) ?? {}).length;
}

export function isBeingDeleted(object: JsonObject): boolean {
  return textAt(object, "metadata", "deletionTimestamp") !== undefined;
}

/** Names and images of the containers of a Pod spec. */
export function containerCells(podSpec: JsonObject | undefined): readonly [names: string, images: string] {
  const containers = objectsAt(podSpec ?? {}, "containers");
  const join = (key: string): string => containers.map((container) => textCell(container, key)).join(",");
  return [join("name"), join("image")];
}

/** The first items, and how many more there are. */
export function joinFirst(items: readonly string[], maxCount: number, separator = ","): string {
  const shown = items.slice(0, maxCount).join(separator);
  return items.length > maxCount ? `${shown} + ${items.length - maxCount} more...` : shown;
}
