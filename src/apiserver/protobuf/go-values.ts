// SPDX-License-Identifier: Apache-2.0
// Properties of the table's types in Go.
import type { Draft } from "../json/json.ts";
import type { FieldSchema, TypeRef } from "../schema/schema.ts";
import { wireTypes } from "./wire-reader.ts";

/** Whether a type is a message that is not repeated. Several occurrences are pieces of one message. */
export function isMerged({ kind }: TypeRef): boolean {
  const isInPlace = kind === "list" || kind === "map" || kind === "string" || kind === "bytes";
  return !isInPlace && wireTypeOf({ kind }) === wireTypes.bytes;
}

/** The wire type of a type's values. */
export function wireTypeOf({ kind }: Pick<TypeRef, "kind">): number {
  if (kind === "boolean" || kind === "int32" || kind === "int64") return wireTypes.varint;
  return kind === "double" ? wireTypes.fixed64 : wireTypes.bytes;
}

/** Whether Go's `omitempty` omits the value. */
export function isEmpty(value: Draft): boolean {
  return value === "" || value === 0 || value === false || value === null;
}

/** Go's name of a field, derived from its JSON name. */
export function goFieldName({ name }: FieldSchema): string {
  return name === "metadata" ? "ObjectMeta" : `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}
