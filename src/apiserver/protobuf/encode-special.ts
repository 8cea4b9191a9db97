// SPDX-License-Identifier: Apache-2.0
// Messages whose JSON is not an object of their fields: times, quantities, raw JSON. Each function writes a message's
// content; the caller writes tag and length.
import type { Json } from "../json/json.ts";
import { canonicalJson } from "../json/stringify-json.ts";
import { wireTypes } from "./wire-reader.ts";
import type { WireWriter } from "./wire-writer.ts";

const secondsLength = "2006-01-02T15:04:05".length;

/**
 * Timestamp: 1 seconds, 2 nanos. Go's zero time (null) is an empty message. A MicroTime has microseconds, a Time whole
 * seconds.
 */
export function writeTime(writer: WireWriter, value: Json, precision: "second" | "microsecond"): void {
  if (typeof value !== "string") return;
  const micros =
    precision === "second"
      ? 0
      : Number(
          value
            .slice(secondsLength + 1, -1)
            .padEnd(6, "0")
            .slice(0, 6),
        );
  writer.writeVarint(micros * 1000);
  writer.writeTag(2, wireTypes.varint);
  writer.writeVarint(Date.parse(`${value.slice(0, secondsLength)}Z`) / 1000);
  writer.writeTag(1, wireTypes.varint);
}

/** Quantity: 1 its text. */
export function writeQuantity(writer: WireWriter, value: Json): void {
  writePlainText(writer, 1, typeof value === "string" ? value : "0");
}

/** IntOrString: 1 the type, 2 the integer, 3 the string. Go writes all three. */
export function writeIntOrString(writer: WireWriter, value: Json): void {
  const isText = typeof value === "string";
  writePlainText(writer, 3, isText ? value : "");
  writer.writeVarint(typeof value === "number" ? value : 0);
  writer.writeTag(2, wireTypes.varint);
  writer.writeVarint(isText ? 1 : 0);
  writer.writeTag(1, wireTypes.varint);
}

/** RawExtension, JSON and FieldsV1: 1 the JSON text, with sorted keys as in Go. Null has no text. */
export function writeRaw(writer: WireWriter, value: Json): void {
  if (value !== null) writePlainText(writer, 1, escapeHtml(canonicalJson(value)));
}

/** A text with its length and tag. */
export function writePlainText(writer: WireWriter, number: number, text: string): void {
  const start = writer.byteCount;
  writer.writeText(text);
  writer.endPart(number, start);
}

/** Go's JSON encoder escapes these characters for HTML. They occur only within strings. */
function escapeHtml(text: string): string {
  return /[<>&\u2028\u2029]/.test(text)
    ? text.replaceAll(/[<>&\u2028\u2029]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`)
    : text;
}
