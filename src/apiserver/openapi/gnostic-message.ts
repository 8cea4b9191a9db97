// SPDX-License-Identifier: Apache-2.0
// Writers for parts of gnostic's openapi.v2 messages from JSON. All write from the last byte to the first, as
// WireWriter does, and omit proto3's zero values.
import { stringify as stringifyYaml } from "yaml";
import { getKey, isList, isObject, type Json, type JsonObject } from "../json/json.ts";
import { wireTypes } from "../protobuf/wire-reader.ts";
import type { WireWriter } from "../protobuf/wire-writer.ts";

/** Writes a value with its tag, or nothing. */
type WritePart = (writer: WireWriter, value: Json) => void;
/** Writes the content of a message. */
export type WriteMessage = (writer: WireWriter, value: Json) => void;

/** JSON key -> writer of the field, with its number and type. */
export type MessageFields = Readonly<Record<string, WritePart>>;

export function text(number: number): WritePart {
  return (writer, value) => {
    if (typeof value !== "string" || value === "") return;
    const start = writer.byteCount;
    writer.writeText(value);
    writer.endPart(number, start);
  };
}

/** The strings of a list. Empty strings are written. */
export function texts(number: number): WritePart {
  return repeated(number, (writer, value) => writer.writeText(typeof value === "string" ? value : ""));
}

export function bool(number: number): WritePart {
  return (writer, value) => {
    if (value !== true) return;
    writer.writeByte(1);
    writer.writeTag(number, wireTypes.varint);
  };
}

export function int(number: number): WritePart {
  return (writer, value) => {
    if ((typeof value !== "number" && typeof value !== "bigint") || Number(value) === 0) return;
    writer.writeVarint(value);
    writer.writeTag(number, wireTypes.varint);
  };
}

export function double(number: number): WritePart {
  return (writer, value) => {
    if ((typeof value !== "number" && typeof value !== "bigint") || Number(value) === 0) return;
    writer.writeDouble(Number(value));
    writer.writeTag(number, wireTypes.fixed64);
  };
}

/** A nested message. */
export function part(number: number, write: WriteMessage): WritePart {
  return (writer, value) => {
    const start = writer.byteCount;
    write(writer, value);
    writer.endPart(number, start);
  };
}

/** One message for each item of a list. */
export function repeated(number: number, write: WriteMessage): WritePart {
  const writeItem = part(number, write);
  return (writer, value) => {
    if (isList(value)) for (const item of value.toReversed()) writeItem(writer, item);
  };
}

/** A message with a map: one NamedX (1 name, 2 value) under `number` for each entry. */
export function named(number: number, write: WriteMessage): WriteMessage {
  const [name, content] = [text(1), part(2, write)];
  return (writer, value) => {
    if (!isObject(value)) return;
    for (const key of Object.keys(value).toReversed()) {
      const start = writer.byteCount;
      content(writer, getKey(value, key) ?? null);
      name(writer, key);
      writer.endPart(number, start);
    }
  };
}

/** Any: 2 the value as YAML. */
export const anyValue: WriteMessage = (writer, value) => {
  const start = writer.byteCount;
  writer.writeText(toYaml(value));
  writer.endPart(2, start);
};

/**
 * A message of these fields, in ascending order of their numbers. Keys that start with `x-` are NamedAny under
 * `extensionNumber`, which is the highest.
 */
export function message(fields: MessageFields, extensionNumber?: number): WriteMessage {
  const descending = Object.entries(fields).toReversed();
  const writeExtensions = extensionNumber === undefined ? undefined : named(extensionNumber, anyValue);
  return (writer, value) => {
    if (!isObject(value)) return;
    writeExtensions?.(writer, extensionsOf(value));
    for (const [key, write] of descending) {
      const found = getKey(value, key);
      if (found !== undefined) write(writer, found);
    }
  };
}

function extensionsOf(value: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([key]) => key.startsWith("x-")));
}

/** Texts that need no quotes in YAML. */
const plainWord = /^[A-Za-z][A-Za-z0-9./-]*$/;
/** Words that YAML does not read as strings. */
const meantOtherwise = /^(?:true|false|yes|no|on|off|null|y|n)$/i;

/**
 * YAML as Go encodes it. Flat objects and lists of them are encoded here, because kinds are nearly all of a document's
 * extensions and the library is slow.
 */
function toYaml(value: Json): string {
  if (typeof value === "string") return `${toScalar(value)}\n`;
  const entries = isList(value) ? value.map(toLines) : [];
  if (entries.length > 0 && entries.every((lines) => lines !== undefined))
    return entries.map((lines) => `- ${lines.join("  ")}`).join("");
  const lines = isObject(value) ? toLines(value) : undefined;
  if (lines !== undefined) return lines.join("");
  return isList(value) || isObject(value) ? stringifyYaml(value, yamlStyle) : `${String(value)}\n`;
}

const yamlStyle = { lineWidth: 0, indentSeq: false, singleQuote: true } as const;

/** The lines of a string or of an object of strings; undefined for any other value. */
function toLines(value: Json): readonly string[] | undefined {
  if (typeof value === "string") return [`${toScalar(value)}\n`];
  if (!isObject(value)) return undefined;
  const lines = Object.entries(value).map(([key, part]) =>
    typeof part === "string" ? `${key}: ${toScalar(part)}\n` : undefined,
  );
  return lines.length > 0 && lines.every((line) => line !== undefined) ? lines : undefined;
}

function toScalar(value: string): string {
  if (value === "") return '""';
  if (plainWord.test(value) && !meantOtherwise.test(value)) return value;
  return stringifyYaml(value, yamlStyle).trimEnd();
}
