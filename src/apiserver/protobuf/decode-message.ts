// SPDX-License-Identifier: Apache-2.0
// One decoder for all messages of the table. It returns the JSON that Go encodes after reading the same bytes.
import { assert } from "../../base/assert.ts";
import { type Draft, type DraftObject, setKey } from "../json/json.ts";
import { type FieldSchema, type SchemaTable, type TypeRef, zeroOf } from "../schema/schema.ts";
import { assertWireType, readFields, readIntOrString, readQuantity, readRaw, readTime } from "./decode-special.ts";
import { goFieldName, isEmpty, isMerged, wireTypeOf } from "./go-values.ts";
import { type MessagePlan, planOf } from "./message-plan.ts";
import { MalformedProtobuf, WireReader, wireTypes } from "./wire-reader.ts";

/**
 * Maximum nesting of messages. Only schemas of CustomResourceDefinitions nest freely; the deepest published ones are
 * below 30 levels.
 */
const maxDepth = 500;

/**
 * Maximum number of values in one body. A 3 MiB body from Go has fewer, because Go writes every field that it prints.
 * Only a body of a million empty items, which would grow to gigabytes, has more.
 */
const maxValueCount = 1_000_000;

/** Maximum number of bytes copied to join messages: that of the longest body, 3 MiB. */
const maxJoinedByteCount = 3 * 1024 * 1024;

const schemaProps = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps";

/** Decodes one body. It counts values, so each body needs a new decoder. */
export class MessageDecoder {
  readonly #table: SchemaTable;
  #valueCount = 0;
  #joinedByteCount = 0;

  constructor(table: SchemaTable) {
    this.#table = table;
  }

  /** Decodes an object of that type. Throws MalformedProtobuf. */
  decode(reader: WireReader, typeName: string, depth = 0): DraftObject {
    if (depth > maxDepth) throw new MalformedProtobuf("exceeded max depth");
    const plan = planOf(this.#table.object(typeName));
    const values: (Draft | undefined)[] = [];
    const parts = new Map<number, WireReader[]>();
    const readInto = (part: WireReader, numbers: ReadonlyMap<number, number>): void =>
      readFields(part, plan.goName, (number, wireType) => {
        const index = numbers.get(number);
        const field = index === undefined ? undefined : plan.fields[index];
        if (index === undefined || field === undefined) {
          // The message of an embedded struct, whose fields belong to this object. An embedded struct's message has no
          // embedded ones.
          const inner = numbers === plan.byNumber ? plan.embedded.get(number) : undefined;
          if (inner === undefined) return false;
          assertWireType(wireType, wireTypes.bytes, plan.goName);
          readInto(part.readPart(), inner);
        } else if (isMerged(field.type)) {
          assertWireType(wireType, wireTypes.bytes, goFieldName(field));
          const seen = parts.get(index);
          if (seen === undefined) parts.set(index, [part.readPart()]);
          else seen.push(part.readPart());
        } else values[index] = this.#readValue(part, wireType, field, values[index], depth);
        return true;
      });
    readInto(reader, plan.byNumber);
    for (const [index, seen] of parts) {
      const type = plan.fields[index]?.type;
      if (type !== undefined) values[index] = this.#readSingle(this.#join(seen), type, depth);
    }
    return this.#toJson(plan, values, depth);
  }

  #toJson(plan: MessagePlan, values: readonly (Draft | undefined)[], depth: number): DraftObject {
    const object: DraftObject = {};
    for (const [index, field] of plan.fields.entries()) {
      let value = values[index];
      if (field.pointer && value === undefined) continue;
      if (!field.pointer && field.omitEmpty && (value === undefined || isEmpty(value))) continue;
      if (value === undefined) {
        const { type } = field;
        value = type.kind === "object" ? this.decode(new WireReader(empty), type.name, depth + 1) : zeroOf(type);
      }
      this.#count();
      setKey(object, field.name, value);
    }
    return object;
  }

  /** Joins the pieces of one message. No common encoder splits messages; the limit bounds the growth of nested ones. */
  #join(parts: readonly WireReader[]): WireReader {
    const [first] = parts;
    if (first !== undefined && parts.length === 1) return first;
    const pieces = parts.map((part) => part.rest());
    const byteCount = pieces.reduce((sum, { length }) => sum + length, 0);
    this.#joinedByteCount += byteCount;
    if (this.#joinedByteCount > maxJoinedByteCount) throw new MalformedProtobuf("the message is in too many pieces");
    const joined = new Uint8Array(byteCount);
    let at = 0;
    for (const piece of pieces) {
      joined.set(piece, at);
      at += piece.length;
    }
    return new WireReader(joined);
  }

  #count(): void {
    this.#valueCount += 1;
    if (this.#valueCount > maxValueCount) throw new MalformedProtobuf("the message holds too many values");
  }

  /** Reads a scalar, or one more item of a list or entry of a map. */
  #readValue(
    reader: WireReader,
    wireType: number,
    field: FieldSchema,
    before: Draft | undefined,
    depth: number,
  ): Draft {
    const { type } = field;
    const name = goFieldName(field);
    if (type.kind === "list") {
      const list = Array.isArray(before) ? before : [];
      this.#readItems(reader, wireType, type.item, { list, name, depth });
      return list;
    }
    if (type.kind === "map") {
      assertWireType(wireType, wireTypes.bytes, name);
      const map = typeof before === "object" && before !== null && !Array.isArray(before) ? before : {};
      this.#readEntry(reader.readPart(), type.value, map, depth);
      return map;
    }
    assertWireType(wireType, wireTypeOf(type), name);
    return this.#readOne(reader, type, depth);
  }

  #readItems(
    reader: WireReader,
    wireType: number,
    item: TypeRef,
    into: { readonly list: Draft[]; readonly name: string; readonly depth: number },
  ): void {
    const expected = wireTypeOf(item);
    const push = (source: WireReader): void => {
      this.#count();
      into.list.push(this.#readOne(source, item, into.depth));
    };
    if (expected === wireTypes.bytes || wireType !== wireTypes.bytes) {
      assertWireType(wireType, expected, into.name);
      push(reader);
      return;
    }
    const packed = reader.readPart();
    while (!packed.isAtEnd) push(packed);
  }

  /** An entry without a key has the empty key; without a value, the zero value. */
  #readEntry(reader: WireReader, type: TypeRef, map: DraftObject, depth: number): void {
    let key = "";
    let value: Draft | undefined;
    readFields(reader, "MapEntry", (number, wireType) => {
      if (number === 1) {
        assertWireType(wireType, wireTypes.bytes, "mapkey");
        key = reader.readText();
      } else if (number === 2) {
        assertWireType(wireType, wireTypeOf(type), "mapvalue");
        value = this.#readOne(reader, type, depth);
      } else return false;
      return true;
    });
    this.#count();
    setKey(map, key, value ?? (wireTypeOf(type) === wireTypes.bytes ? this.#emptyValue(type, depth) : zeroOf(type)));
  }

  #emptyValue(type: TypeRef, depth: number): Draft {
    if (type.kind === "string" || type.kind === "bytes") return "";
    return this.#readSingle(new WireReader(empty), type, depth);
  }

  #readOne(reader: WireReader, type: TypeRef, depth: number): Draft {
    switch (type.kind) {
      case "string":
        return reader.readText();
      case "boolean":
        return reader.readBoolean();
      case "int32":
        return reader.readInt32();
      case "int64":
        return reader.readInt64();
      case "double":
        return readFinite(reader);
      case "bytes":
        return reader.readBytes().toBase64();
      default:
        return this.#readSingle(reader.readPart(), type, depth);
    }
  }

  /** Reads a message that is not repeated. */
  #readSingle(reader: WireReader, type: TypeRef, depth: number): Draft {
    switch (type.kind) {
      case "object":
        return this.decode(reader, type.name, depth + 1);
      case "list":
        return this.#readWrapped(reader, type.item, depth);
      case "time":
        return readTime(reader, "second");
      case "microTime":
        return readTime(reader, "microsecond");
      case "quantity":
        return readQuantity(reader);
      case "intOrString":
        return readIntOrString(reader);
      case "json":
        return readRaw(reader);
      case "schemaOrBool":
        return this.#readSchemaOr(reader, { schema: 2, other: 1 }, "boolean", depth);
      case "schemaOrList":
        return this.#readSchemaOr(reader, { schema: 1, other: 2 }, "schemas", depth);
      case "schemaOrStrings":
        return this.#readSchemaOr(reader, { schema: 1, other: 2 }, "strings", depth);
      default:
        assert(false, `a ${type.kind} is not a message`);
    }
  }

  /**
   * Protobuf has no map of lists: the value is a message whose only field is the list (ExtraValue). An empty list is
   * null in Go.
   */
  #readWrapped(reader: WireReader, item: TypeRef, depth: number): Draft {
    const list: Draft[] = [];
    readFields(reader, "ExtraValue", (number, wireType) => {
      if (number !== 1) return false;
      this.#readItems(reader, wireType, item, { list, name: "Items", depth });
      return true;
    });
    return list.length === 0 ? null : list;
  }

  #readSchemaOr(
    reader: WireReader,
    numbers: { readonly schema: number; readonly other: number },
    kind: "boolean" | "schemas" | "strings",
    depth: number,
  ): Draft {
    const parts: WireReader[] = [];
    const list: Draft[] = [];
    let allows = false;
    readFields(reader, "JSONSchemaPropsOr", (number, wireType) => {
      if (number !== numbers.schema && number !== numbers.other) return false;
      const isBoolean = kind === "boolean" && number === numbers.other;
      assertWireType(wireType, isBoolean ? wireTypes.varint : wireTypes.bytes, "Schema");
      this.#count();
      if (number === numbers.schema) parts.push(reader.readPart());
      else if (kind === "boolean") allows = reader.readBoolean();
      else if (kind === "strings") list.push(reader.readText());
      else list.push(this.decode(reader.readPart(), schemaProps, depth + 1));
      return true;
    });
    const schema = parts.length === 0 ? undefined : this.decode(this.#join(parts), schemaProps, depth + 1);
    if (kind === "boolean") return schema ?? allows;
    return list.length > 0 ? list : (schema ?? null);
  }
}

const empty = new Uint8Array();

function readFinite(reader: WireReader): number {
  const value = reader.readDouble();
  if (!Number.isFinite(value)) throw new MalformedProtobuf("json: unsupported value");
  return value;
}
