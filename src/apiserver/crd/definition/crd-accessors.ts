// SPDX-License-Identifier: Apache-2.0
// Accessors for the parts of a CustomResourceDefinition.

import { getKey, type Json, type JsonObject } from "../../json/json.ts";
import { objectAt, objectsAt, textAt, textsAt, valueAt } from "../../json/json-fields.ts";

/** Names in `spec.names` or `status.acceptedNames`. An absent name is empty. */
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
  /** Undefined without a schema. */
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
  return objectsAt(crd, "spec", "versions").map((raw) => ({
    raw,
    name: textAt(raw, "name") ?? "",
    isServed: getKey(raw, "served") === true,
    isStorage: getKey(raw, "storage") === true,
    schema: objectAt(raw, "schema", "openAPIV3Schema"),
  }));
}

/** The version at which objects are stored; undefined if none is marked. */
export function storageVersionOf(crd: JsonObject): CrdVersion | undefined {
  return versionsOf(crd).find(({ isStorage }) => isStorage);
}

/** Whether the value at the path is neither absent nor null. */
export function hasValue(value: Json, ...path: readonly string[]): boolean {
  const found = valueAt(value, ...path);
  return found !== undefined && found !== null;
}
