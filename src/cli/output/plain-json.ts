// SPDX-License-Identifier: Apache-2.0
import {
  type DescField,
  type DescMessage,
  type JsonObject,
  type JsonValue,
  type MessageShape,
  ScalarType,
  toJson,
} from "@bufbuild/protobuf";

/**
 * A message as JSON (CL10): every field, times in RFC 3339, and 64-bit numbers as JSON numbers. A revision stays text,
 * because only the hub compares it; so does a number that JSON readers would round.
 */
export function toPlainJson<Desc extends DescMessage>(desc: Desc, message: MessageShape<Desc>): JsonObject {
  const value = withNumbers(desc, toJson(desc, message, { alwaysEmitImplicit: true }));
  return isJsonObject(value) ? value : {};
}

function withNumbers(desc: DescMessage, value: JsonValue): JsonValue {
  // Types such as Timestamp have their own JSON form.
  if (desc.typeName.startsWith("google.protobuf.") || !isJsonObject(value)) return value;
  const fields = new Map(desc.fields.map((field) => [field.jsonName, field]));
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => {
      const field = fields.get(name);
      return [name, field === undefined ? each : fieldWithNumbers(field, each)];
    }),
  );
}

function fieldWithNumbers(field: DescField, value: JsonValue): JsonValue {
  if (field.name === "revision") return value;
  const convert = (each: JsonValue): JsonValue => {
    if (field.message !== undefined) return withNumbers(field.message, each);
    return field.scalar !== undefined && wideTypes.has(field.scalar) ? toNumber(each) : each;
  };
  if (field.fieldKind === "list" && Array.isArray(value)) return value.map(convert);
  if (field.fieldKind === "map" && isJsonObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, convert(each)]));
  return convert(value);
}

/** The types that protobuf encodes as strings in JSON. */
const wideTypes: ReadonlySet<ScalarType> = new Set([
  ScalarType.INT64,
  ScalarType.UINT64,
  ScalarType.SINT64,
  ScalarType.FIXED64,
  ScalarType.SFIXED64,
]);

/** The number of a text of digits if it is a safe integer; otherwise the text. */
export function toNumber(value: JsonValue): JsonValue {
  const number = Number(value);
  return typeof value === "string" && Number.isSafeInteger(number) ? number : value;
}

function isJsonObject(value: JsonValue): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
