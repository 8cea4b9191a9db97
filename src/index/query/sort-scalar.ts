// SPDX-License-Identifier: Apache-2.0
import { compareUtf8 } from "../../model/text.ts";
import type { FieldRef, SortField } from "../language/field-ref.ts";
import { compareTypedTexts, type TypedText, typeText } from "../language/typed-text.ts";
import type { SortScalar } from "./query-request.ts";

/** True if texts of the field are compared by what they mean: own columns hold quantities, versions and addresses. */
export function hasTypedTexts({ field }: FieldRef): boolean {
  return field === "field.";
}

/** A value of a field, parsed once for many comparisons. */
export interface ValueKey {
  readonly value: number | string;
  /** Absent for fields whose texts are compared bytewise. */
  readonly typed?: TypedText;
}

/** A function that parses values of one field; undefined for no value. */
export function createKeyReader(ref: FieldRef): (value: SortScalar) => ValueKey | undefined {
  if (!hasTypedTexts(ref)) return (value) => (value === undefined ? undefined : { value });
  return (value) => {
    if (value === undefined) return undefined;
    return { value, typed: typeof value === "number" ? { kind: "number", value } : typeText(value, ref.name) };
  };
}

/** Compares two values in the direction of the order. No value comes last in both directions (QL9). */
export function compareKeys({ isDescending }: SortField, a: ValueKey | undefined, b: ValueKey | undefined): number {
  if (a === undefined || b === undefined) return a === b ? 0 : a === undefined ? 1 : -1;
  const order = ascending(a, b);
  return isDescending ? -order : order;
}

/** As `compareKeys`, of values that are compared once. */
export function compareScalars(sort: SortField, a: SortScalar, b: SortScalar): number {
  const toKey = createKeyReader(sort.ref);
  return compareKeys(sort, toKey(a), toKey(b));
}

function ascending(a: ValueKey, b: ValueKey): number {
  if (a.typed !== undefined && b.typed !== undefined) return compareTypedTexts(a.typed, b.typed);
  if (typeof a.value === "string" && typeof b.value === "string") return compareUtf8(a.value, b.value);
  // A field that is not typed has values of one type; a cursor of another version may hold another one.
  return Number(a.value) - Number(b.value) || 0;
}
