// SPDX-License-Identifier: Apache-2.0
// The parts of a CustomResourceDefinition that its rules read.
import { getKey, isObject, type Json, type JsonObject, listAt, objectAt, textAt, valueAt } from "../json/json.ts";

/** Names as a definition asks for them (`spec.names`) or has them (`status.acceptedNames`). What is absent is empty. */
export interface CrdNames {
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly listKind: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
}

export interface CrdVersion {
  readonly raw: JsonObject;
  readonly name: string;
  readonly isServed: boolean;
  readonly isStorage: boolean;
  /** Undefined where it has none. */
  readonly schema: JsonObject | undefined;
}

export function namesOf(names: JsonObject | undefined): CrdNames {
  const from = names ?? {};
  return {
    plural: textAt(from, "plural") ?? "",
    singular: textAt(from, "singular") ?? "",
    kind: textAt(from, "kind") ?? "",
    listKind: textAt(from, "listKind") ?? "",
    shortNames: textsAt(from, "shortNames"),
    categories: textsAt(from, "categories"),
  };
}

export function versionsOf(crd: JsonObject): readonly CrdVersion[] {
  return (listAt(crd, "spec", "versions") ?? []).filter(isObjectValue).map((raw) => ({
    raw,
    name: textAt(raw, "name") ?? "",
    isServed: getKey(raw, "served") === true,
    isStorage: getKey(raw, "storage") === true,
    schema: objectAt(raw, "schema", "openAPIV3Schema"),
  }));
}

/** The version that objects are stored at; undefined in a definition that marks none. */
export function storageVersionOf(crd: JsonObject): CrdVersion | undefined {
  return versionsOf(crd).find(({ isStorage }) => isStorage);
}

/** Texts of a list; other values in it are left out. */
export function textsAt(value: Json, ...path: readonly string[]): readonly string[] {
  return (listAt(value, ...path) ?? []).filter((item) => typeof item === "string");
}

export function objectsAt(value: Json, ...path: readonly string[]): readonly JsonObject[] {
  return (listAt(value, ...path) ?? []).filter(isObjectValue);
}

/** True where there is something at the path: not absent, not null. */
export function hasValue(value: Json, ...path: readonly string[]): boolean {
  const found = valueAt(value, ...path);
  return found !== undefined && found !== null;
}

function isObjectValue(value: Json): value is JsonObject {
  return isObject(value);
}
