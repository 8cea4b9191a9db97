// SPDX-License-Identifier: Apache-2.0
import { type Draft, isList } from "../json/json.ts";
import type { ScalarType, TypeRef } from "../schema/schema.ts";
import { type Decoding, FatalDecodeError, type Place } from "./decoding.ts";
import { canonicalBase64, GoBase64Error, toBase64 } from "./go-bytes.ts";
import { canonicalMicroTime, canonicalTime, GoTimeError } from "./go-time.ts";
import { canonicalQuantity, QuantityError } from "./quantity.ts";

/** A value that is not null, of unknown type. */
export type RawValue = Exclude<Draft, null>;

/** The types without fields, items or values. */
export type PlainScalar = Exclude<ScalarType, "schemaOrBool" | "schemaOrList" | "schemaOrStrings">;

const integerLimits = {
  int32: { min: -(2n ** 31n), max: 2n ** 31n - 1n },
  int64: { min: -(2n ** 63n), max: 2n ** 63n - 1n },
};

/**
 * The canonical form of a value; undefined if Go would hold the type's empty value. Records an error, or throws it as
 * FatalDecodeError.
 */
export function decodeScalar(
  decoding: Decoding,
  type: TypeRef,
  { kind, value, place }: { readonly kind: PlainScalar; readonly value: RawValue; readonly place: Place },
): Draft | undefined {
  switch (kind) {
    case "string":
      return typeof value === "string" ? value : mismatch(decoding, type, value);
    case "boolean":
      return typeof value === "boolean" ? value : mismatch(decoding, type, value);
    case "int32":
    case "int64":
      return isNumeric(value)
        ? (decodeInteger(value, kind, decoding.details.numberText(place.holder, place.key)) ??
            outOfRange(decoding, type, value, place))
        : mismatch(decoding, type, value);
    case "double":
      return isNumeric(value) ? Number(value) : mismatch(decoding, type, value);
    case "bytes":
      return decodeBytes(decoding, type, value);
    case "time":
      return decodeText(decoding, value, canonicalTime);
    case "microTime":
      return decodeText(decoding, value, canonicalMicroTime);
    case "duration":
      return decodeText(decoding, value, (text) => text);
    case "quantity":
      return decodeQuantity(decoding, value, place);
    case "intOrString":
      return decodeIntOrString(decoding, value, place);
    case "json":
      return value;
  }
}

/** Go's name for a JSON value in messages. */
export function describe(value: RawValue): string {
  if (isNumeric(value)) return "number";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "string") return "string";
  return isList(value) ? "array" : "object";
}

function mismatch(decoding: Decoding, type: TypeRef, value: RawValue): undefined {
  return decoding.noteMismatch(describe(value), type);
}

function outOfRange(decoding: Decoding, type: TypeRef, value: number | bigint, place: Place): undefined {
  return decoding.noteMismatch(`number ${numberText(decoding, value, place)}`, type);
}

/** Undefined for a number that is not an integer of that size, or is not written as one. */
function decodeInteger(
  value: number | bigint,
  kind: keyof typeof integerLimits,
  oddText: string | undefined,
): number | bigint | undefined {
  if (oddText !== undefined) return undefined;
  if (typeof value === "number" && Number.isSafeInteger(value) && kind === "int64") return value;
  if (typeof value === "number" && !Number.isInteger(value)) return undefined;
  const integer = BigInt(value);
  const { min, max } = integerLimits[kind];
  if (integer < min || integer > max) return undefined;
  const short = Number(integer);
  return Number.isSafeInteger(short) ? short : integer;
}

function decodeBytes(decoding: Decoding, type: TypeRef, value: RawValue): string | undefined {
  if (isList(value)) return decodeByteList(decoding, value);
  if (typeof value !== "string") return mismatch(decoding, type, value);
  try {
    return canonicalBase64(value);
  } catch (reason) {
    if (!(reason instanceof GoBase64Error)) throw reason;
    decoding.noteError(reason.message);
    return undefined;
  }
}

function decodeByteList(decoding: Decoding, list: Draft[]): string {
  const bytes = list.map((item, index): number => {
    if (item === null) return 0;
    const oddText = decoding.details.numberText(list, index);
    if (typeof item === "number" && Number.isInteger(item) && item >= 0 && item <= 255 && oddText === undefined)
      return item;
    const what = isNumeric(item) ? `number ${oddText ?? item}` : describe(item);
    decoding.noteError(decoding.mismatch(what, "uint8"));
    return 0;
  });
  return toBase64(bytes);
}

/** A value that Go decodes as a string and then parses: an error in it is fatal. */
function decodeText(
  decoding: Decoding,
  value: RawValue,
  toCanonical: (text: string) => string | undefined,
): string | undefined {
  if (typeof value !== "string") throw new FatalDecodeError(decoding.mismatch(describe(value), "string"));
  try {
    return toCanonical(value);
  } catch (reason) {
    throw reason instanceof GoTimeError ? new FatalDecodeError(reason.message) : reason;
  }
}

function decodeQuantity(decoding: Decoding, value: RawValue, place: Place): string {
  const text = isNumeric(value) ? numberText(decoding, value, place) : typeof value === "string" ? value.trim() : "";
  try {
    return canonicalQuantity(text);
  } catch (reason) {
    throw reason instanceof QuantityError ? new FatalDecodeError(reason.message) : reason;
  }
}

function decodeIntOrString(decoding: Decoding, value: RawValue, place: Place): string | number {
  if (typeof value === "string") return value;
  if (!isNumeric(value)) throw new FatalDecodeError(decoding.mismatch(describe(value), "int32"));
  const integer = decodeInteger(value, "int32", decoding.details.numberText(place.holder, place.key));
  if (integer === undefined)
    throw new FatalDecodeError(decoding.mismatch(`number ${numberText(decoding, value, place)}`, "int32"));
  return Number(integer);
}

function numberText(decoding: Decoding, value: number | bigint, { holder, key }: Place): string {
  return decoding.details.numberText(holder, key) ?? String(value);
}

function isNumeric(value: Draft): value is number | bigint {
  return typeof value === "number" || typeof value === "bigint";
}
