// SPDX-License-Identifier: Apache-2.0
// JSON schemas of protobuf messages, as protobuf's JSON encoding writes them. Schemas are open: a later hub may add
// fields, and a field with its default value is left out.
import { type DescEnum, type DescField, type DescMessage, type DescOneof, ScalarType } from "@bufbuild/protobuf";
import type { CommentOf } from "./proto-comments.ts";

/** A JSON schema. */
export type Schema = Readonly<Record<string, unknown>>;

const whole = (minimum: number, maximum: number): Schema => ({ type: "integer", minimum, maximum });
const signed64: Schema = { type: "string", pattern: "^-?[0-9]{1,19}$", format: "int64" };
const unsigned64: Schema = { type: "string", pattern: "^[0-9]{1,20}$", format: "uint64" };
/** JSON has no numbers for these three. */
const float: Schema = { anyOf: [{ type: "number" }, { type: "string", enum: ["NaN", "Infinity", "-Infinity"] }] };
const int32 = whole(-(2 ** 31), 2 ** 31 - 1);
const uint32 = whole(0, 2 ** 32 - 1);

const scalars: Readonly<Record<ScalarType, Schema>> = {
  [ScalarType.STRING]: { type: "string" },
  [ScalarType.BOOL]: { type: "boolean" },
  [ScalarType.BYTES]: { type: "string", contentEncoding: "base64" },
  [ScalarType.DOUBLE]: float,
  [ScalarType.FLOAT]: float,
  [ScalarType.INT32]: int32,
  [ScalarType.SINT32]: int32,
  [ScalarType.SFIXED32]: int32,
  [ScalarType.UINT32]: uint32,
  [ScalarType.FIXED32]: uint32,
  [ScalarType.INT64]: signed64,
  [ScalarType.SINT64]: signed64,
  [ScalarType.SFIXED64]: signed64,
  [ScalarType.UINT64]: unsigned64,
  [ScalarType.FIXED64]: unsigned64,
};

/** Messages that protobuf's JSON encoding writes in a form of their own. */
const wellKnown: ReadonlyMap<string, Schema> = new Map([
  ["google.protobuf.Timestamp", { type: "string", format: "date-time" }],
  ["google.protobuf.Struct", { type: "object" }],
]);

/** The schemas of messages and all that they contain, by their full names. */
export class MessageSchemas {
  readonly #schemas = new Map<string, Schema>();
  readonly #commentOf: CommentOf;

  constructor(commentOf: CommentOf) {
    this.#commentOf = commentOf;
  }

  /** A reference to the schema of a message. Throws for a well-known type that has no entry here. */
  refTo(message: DescMessage): Schema {
    const special = wellKnown.get(message.typeName);
    if (special !== undefined) return special;
    if (message.typeName.startsWith("google.protobuf."))
      throw new Error(`${message.typeName} has no JSON schema; add it to ${import.meta.filename}`);
    if (!this.#schemas.has(message.typeName)) {
      this.#schemas.set(message.typeName, {}); // ends the recursion of a message that contains itself
      this.#schemas.set(message.typeName, this.#schemaOf(message));
    }
    return { $ref: `#/components/schemas/${message.typeName}` };
  }

  /** All schemas so far, by name. */
  get all(): Readonly<Record<string, Schema>> {
    return Object.fromEntries([...this.#schemas].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  #schemaOf(message: DescMessage): Schema {
    const properties = message.fields.map((field) => [
      field.jsonName,
      this.#withComment(this.#fieldSchema(field), this.#commentOf(field)),
    ]);
    const oneofs = message.oneofs.map(atMostOne);
    return this.#withComment(
      {
        type: "object",
        ...(properties.length > 0 && { properties: Object.fromEntries(properties) }),
        ...(oneofs.length > 0 && { allOf: oneofs }),
      },
      this.#commentOf(message),
    );
  }

  #fieldSchema(field: DescField): Schema {
    switch (field.fieldKind) {
      case "scalar":
        return scalars[field.scalar];
      case "enum":
        return this.#enumSchema(field.enum);
      case "message":
        return this.refTo(field.message);
      case "list":
        return { type: "array", items: this.#elementSchema(field) };
      case "map":
        return { type: "object", additionalProperties: this.#elementSchema(field) };
    }
  }

  #elementSchema(field: Extract<DescField, { fieldKind: "list" | "map" }>): Schema {
    const kind = field.fieldKind === "list" ? field.listKind : field.mapKind;
    if (kind === "scalar" && field.scalar !== undefined) return scalars[field.scalar];
    if (kind === "enum" && field.enum !== undefined) return this.#enumSchema(field.enum);
    if (field.message === undefined) throw new Error(`${field.parent.typeName}.${field.name} has no element type`);
    return this.refTo(field.message);
  }

  #enumSchema(desc: DescEnum): Schema {
    const meanings = desc.values.map((value) => [value.name, this.#commentOf(value)] as const);
    const described = meanings
      .filter(([, comment]) => comment !== "")
      .map(([name, comment]) => `- ${name}: ${comment}`);
    const description = [this.#commentOf(desc), described.join("\n")].filter((text) => text !== "").join("\n\n");
    return this.#withComment({ type: "string", enum: desc.values.map(({ name }) => name) }, description);
  }

  /** Of a field and its type, the comment of the field is shown. */
  #withComment(schema: Schema, comment: string): Schema {
    return comment === "" ? schema : { ...schema, description: comment };
  }
}

function atMostOne({ fields }: DescOneof): Schema {
  const each = fields.map(({ jsonName }) => ({ required: [jsonName] }));
  return { oneOf: [...each, { not: { anyOf: each } }] };
}
