// SPDX-License-Identifier: Apache-2.0
// One encoder for all messages of the table. It writes the bytes that Go writes after reading the same JSON: fields by
// number, maps by key, and every field that is not a pointer, set or not.
import { assert } from "../../base/assert.ts";
import { compareUtf8 } from "../../model/text.ts";
import { isList, isObject, type Json, type JsonObject } from "../json/json.ts";
import { type ObjectSchema, type SchemaTable, type TypeRef, type WireField, zeroOf } from "../schema/schema.ts";
import { writeIntOrString, writePlainText, writeQuantity, writeRaw, writeTime } from "./encode-special.ts";
import { wireTypes } from "./wire-reader.ts";
import type { WireWriter } from "./wire-writer.ts";

/**
 * A field, or an embedded struct with its own message. All parts have the same shape, for the speed of the inner loop.
 */
interface PlannedPart {
  readonly number: number;
  /** The field's name; empty for an embedded struct. */
  readonly name: string;
  readonly type: TypeRef;
  readonly pointer: boolean;
  readonly embedded: readonly PlannedPart[] | undefined;
}

const schemaProps = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps";
const noFields: JsonObject = {};
const noType: TypeRef = { kind: "json" };

/** Encodes objects of the table. Stateless, except for its cached plans. */
export class MessageEncoder {
  readonly #table: SchemaTable;
  readonly #plans = new Map<string, readonly PlannedPart[]>();

  constructor(table: SchemaTable) {
    this.#table = table;
  }

  /** Writes the object's message, without length and tag. Omits keys that the type lacks. */
  writeObject(writer: WireWriter, typeName: string, object: JsonObject): void {
    let plan = this.#plans.get(typeName);
    if (plan === undefined) {
      plan = planOf(this.#table.object(typeName));
      this.#plans.set(typeName, plan);
    }
    this.#writeParts(writer, plan, object);
  }

  #writeParts(writer: WireWriter, parts: readonly PlannedPart[], object: JsonObject): void {
    for (const part of parts) {
      if (part.embedded === undefined) this.#writeField(writer, part, object[part.name]);
      else {
        const start = writer.byteCount;
        this.#writeParts(writer, part.embedded, object);
        writer.endPart(part.number, start);
      }
    }
  }

  #writeField(writer: WireWriter, { number, type, pointer }: PlannedPart, value: Json | undefined): void {
    if (type.kind === "list") {
      if (!isList(value)) return;
      for (let index = value.length - 1; index >= 0; index -= 1)
        this.#writeValue(writer, number, type.item, value[index] ?? null);
    } else if (type.kind === "map") {
      if (isObject(value)) this.#writeMap(writer, number, type.value, value);
    } else if (value !== undefined && value !== null) this.#writeValue(writer, number, type, value);
    else if (!pointer && type.kind !== "bytes") this.#writeValue(writer, number, type, zeroOf(type));
  }

  /** Entries sorted by key; each is a message: 1 the key, 2 the value. */
  #writeMap(writer: WireWriter, number: number, type: TypeRef, map: JsonObject): void {
    const keys = Object.keys(map);
    if (keys.length > 1) keys.sort(compareUtf8);
    for (let index = keys.length - 1; index >= 0; index -= 1) {
      const key = keys[index] ?? "";
      const value = map[key] ?? null;
      const start = writer.byteCount;
      // Null bytes have no value on the wire; all other values are written.
      if (value !== null || type.kind !== "bytes") this.#writeValue(writer, 2, type, value);
      writePlainText(writer, 1, key);
      writer.endPart(number, start);
    }
  }

  /** Writes one value with its tag. Null is Go's zero value. */
  #writeValue(writer: WireWriter, number: number, type: TypeRef, value: Json): void {
    switch (type.kind) {
      case "string":
        writePlainText(writer, number, typeof value === "string" ? value : "");
        return;
      case "boolean":
        writer.writeByte(value === true ? 1 : 0);
        writer.writeTag(number, wireTypes.varint);
        return;
      case "int32":
      case "int64":
        writer.writeVarint(typeof value === "number" || typeof value === "bigint" ? value : 0);
        writer.writeTag(number, wireTypes.varint);
        return;
      case "double":
        writer.writeDouble(Number(value ?? 0));
        writer.writeTag(number, wireTypes.fixed64);
        return;
      default: {
        const start = writer.byteCount;
        this.#writeContent(writer, type, value);
        writer.endPart(number, start);
      }
    }
  }

  /** Writes the content of a length-delimited value, except strings. */
  #writeContent(writer: WireWriter, type: TypeRef, value: Json): void {
    switch (type.kind) {
      case "object":
        // A list with a type of its own (Verbs) is a message whose only field is `items`.
        this.writeObject(writer, type.name, isObject(value) ? value : isList(value) ? { items: value } : noFields);
        return;
      case "bytes":
        if (typeof value === "string") writer.writeBytes(Buffer.from(value, "base64"));
        return;
      case "list":
        // A list as the value of a map is a message whose only field is the list.
        for (const item of (isList(value) ? value : []).toReversed()) this.#writeValue(writer, 1, type.item, item);
        return;
      case "time":
        writeTime(writer, value, "second");
        return;
      case "microTime":
        writeTime(writer, value, "microsecond");
        return;
      case "quantity":
        writeQuantity(writer, value);
        return;
      case "intOrString":
        writeIntOrString(writer, value);
        return;
      case "json":
        writeRaw(writer, value);
        return;
      case "schemaOrBool":
      case "schemaOrList":
      case "schemaOrStrings":
        this.#writeSchemaOr(writer, type.kind, value);
        return;
      default:
        assert(false, `a ${type.kind} is not a message`);
    }
  }

  /**
   * Unions of JSONSchemaProps: with a boolean (1; the schema is 2), or with schemas or strings (2; the schema is 1).
   */
  #writeSchemaOr(writer: WireWriter, kind: "schemaOrBool" | "schemaOrList" | "schemaOrStrings", value: Json): void {
    const isBoolean = kind === "schemaOrBool";
    if (isObject(value)) {
      const start = writer.byteCount;
      this.writeObject(writer, schemaProps, value);
      writer.endPart(isBoolean ? 2 : 1, start);
    }
    if (isBoolean) {
      // Go sets the boolean for a schema too.
      writer.writeByte(isObject(value) || value === true ? 1 : 0);
      writer.writeTag(1, wireTypes.varint);
      return;
    }
    const item: TypeRef = kind === "schemaOrStrings" ? { kind: "string" } : { kind: "object", name: schemaProps };
    for (const each of (isList(value) ? value : []).toReversed()) this.#writeValue(writer, 2, item, each);
  }
}

/** The parts of a type in descending order of their numbers, which is the order of writing. */
function planOf(schema: ObjectSchema): readonly PlannedPart[] {
  const parts: PlannedPart[] = [];
  const embedded = new Map<number, PlannedPart[]>();
  for (const field of schema.fields.values()) {
    const { name, type, pointer, protobufNumber: number, protobufWithin: within }: WireField = field;
    if (number === undefined) continue;
    const siblings = within === undefined ? parts : (embedded.get(within) ?? []);
    siblings.push({ number, name, type, pointer, embedded: undefined });
    if (within === undefined || embedded.has(within)) continue;
    embedded.set(within, siblings);
    parts.push({ number: within, name: "", type: noType, pointer: false, embedded: siblings });
  }
  for (const siblings of [parts, ...embedded.values()]) siblings.sort((a, b) => b.number - a.number);
  return parts;
}
