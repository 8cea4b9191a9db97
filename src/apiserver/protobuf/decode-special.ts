// SPDX-License-Identifier: Apache-2.0
// Messages whose JSON is not an object of their fields: times, quantities, raw JSON.
import type { Draft } from "../json/json.ts";
import { JsonTextError } from "../json/json-text-error.ts";
import { parseJsonText } from "../json/parse-json.ts";
import { scanJson } from "../json/scan-json.ts";
import { MalformedProtobuf, type WireReader, wireTypes } from "./wire-reader.ts";

/** Calls `read` for each field; skips a field for which it returns false. */
export function readFields(
  reader: WireReader,
  owner: string,
  read: (number: number, wireType: number) => boolean,
): void {
  while (!reader.isAtEnd) {
    const { number, wireType } = reader.readTag(owner);
    if (!read(number, wireType)) reader.skip(wireType);
  }
}

/** Throws unless the value has its field's wire type. */
export function assertWireType(wireType: number, expected: number, field: string): void {
  if (wireType !== expected) throw new MalformedProtobuf(`proto: wrong wireType = ${wireType} for field ${field}`);
}

/** Go's zero time, the first second of year 1, as seconds since 1970. */
const zeroTimeSeconds = -62_135_596_800;
/** The last second of year 9999, the limit of RFC 3339. */
const lastSecond = 253_402_300_799;

/** RFC 3339 in UTC, to the second or the microsecond; null for Go's zero time and for an empty message. */
export function readTime(reader: WireReader, precision: "second" | "microsecond"): string | null {
  if (reader.isAtEnd) return null;
  let seconds = 0;
  let nanos = 0;
  readFields(reader, "Timestamp", (number, wireType) => {
    if (number !== 1 && number !== 2) return false;
    assertWireType(wireType, wireTypes.varint, number === 1 ? "Seconds" : "Nanos");
    if (number === 1) seconds = Number(reader.readInt64());
    else nanos = reader.readInt32();
    return true;
  });
  const micros = precision === "second" ? 0 : Math.trunc(nanos / 1000);
  const wholeSeconds = seconds + Math.floor(micros / 1_000_000);
  const fraction = micros - Math.floor(micros / 1_000_000) * 1_000_000;
  if (wholeSeconds === zeroTimeSeconds && fraction === 0) return null;
  if (wholeSeconds < zeroTimeSeconds || wholeSeconds > lastSecond) {
    throw new MalformedProtobuf("Time.MarshalJSON: year outside of range [0,9999]");
  }
  const text = new Date(wholeSeconds * 1000).toISOString().slice(0, "2006-01-02T15:04:05".length);
  return precision === "second" ? `${text}Z` : `${text}.${String(fraction).padStart(6, "0")}Z`;
}

/** The client's text. The caller converts it to its canonical form. */
export function readQuantity(reader: WireReader): string {
  let text = "0";
  readFields(reader, "Quantity", (number, wireType) => {
    if (number !== 1) return false;
    assertWireType(wireType, wireTypes.bytes, "String_");
    text = reader.readText();
    return true;
  });
  return text;
}

export function readIntOrString(reader: WireReader): number | string {
  let [type, int, text]: [number | bigint, number, string] = [0, 0, ""];
  readFields(reader, "IntOrString", (number, wireType) => {
    if (number < 1 || number > 3) return false;
    assertWireType(
      wireType,
      number === 3 ? wireTypes.bytes : wireTypes.varint,
      ["Type", "IntVal", "StrVal"][number - 1] ?? "",
    );
    if (number === 1) type = reader.readInt64();
    else if (number === 2) int = reader.readInt32();
    else text = reader.readText();
    return true;
  });
  if (type === 0) return int;
  if (type === 1) return text;
  throw new MalformedProtobuf("impossible IntOrString.Type");
}

/** The JSON in the bytes of RawExtension, JSON and FieldsV1. */
export function readRaw(reader: WireReader): Draft {
  let raw: Uint8Array | undefined;
  readFields(reader, "RawExtension", (number, wireType) => {
    if (number !== 1) return false;
    assertWireType(wireType, wireTypes.bytes, "Raw");
    raw = reader.readBytes();
    return true;
  });
  return raw === undefined || raw.length === 0 ? null : parseRawJson(raw);
}

/**
 * Maximum depth of a raw value, without the levels of its message. The deepest in published CustomResourceDefinitions
 * is below 30.
 */
const maxDepth = 500;

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** Parses JSON text in a message, with the same result as in a JSON body. */
function parseRawJson(bytes: Uint8Array): Draft {
  const text = utf8.decode(bytes);
  if (scanJson(text).depth > maxDepth) throw new MalformedProtobuf("exceeded max depth");
  try {
    return parseJsonText(text, { findDuplicates: false }).value;
  } catch (reason) {
    if (reason instanceof JsonTextError) {
      throw new MalformedProtobuf("a raw value is not valid JSON", { cause: reason });
    }
    throw reason;
  }
}
