// SPDX-License-Identifier: Apache-2.0
// What Go makes of the types of the table.
import type { Draft } from "../json/json.ts";
import type { FieldSchema, TypeRef } from "../schema/schema.ts";
import { wireTypes } from "./wire-reader.ts";

/** A message that is not repeated: occurrences of it are one message in pieces. */
export function isMerged({ kind }: TypeRef): boolean {
  const isInPlace = kind === "list" || kind === "map" || kind === "string" || kind === "bytes";
  return !isInPlace && wireTypeOf({ kind }) === wireTypes.bytes;
}

/** How values of a type are written. */
export function wireTypeOf({ kind }: Pick<TypeRef, "kind">): number {
  if (kind === "boolean" || kind === "int32" || kind === "int64") return wireTypes.varint;
  return kind === "double" ? wireTypes.fixed64 : wireTypes.bytes;
}

/** Go's idea of an empty value, as `omitempty` means it. */
export function isEmpty(value: Draft): boolean {
  return value === "" || value === 0 || value === false || value === null;
}

/** What Go prints for a field that it holds by value and that was not set. */
export function zeroOf({ kind }: TypeRef): Draft {
  switch (kind) {
    case "string":
      return "";
    case "boolean":
      return false;
    case "int32":
    case "int64":
    case "double":
    case "intOrString":
      return 0;
    case "quantity":
      return "0";
    default:
      return null;
  }
}

/** Go's name of a field, as far as the JSON name tells it. */
export function goFieldName({ name }: FieldSchema): string {
  return name === "metadata" ? "ObjectMeta" : `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}
