// SPDX-License-Identifier: Apache-2.0
// Every message of a kind with one number at its extreme, made from the message's own description, so that a new field
// is tried without being named here.
import { create, type DescField, type DescMessage, type MessageShape, ScalarType } from "@bufbuild/protobuf";

/** One message, and the path of the field that is extreme, as the proto file names it. */
export interface ExtremeMessage<Desc extends DescMessage> {
  readonly path: string;
  readonly message: MessageShape<Desc>;
}

const signed64 = [-(2n ** 63n), -1n, 2n ** 53n - 1n, 2n ** 53n, 2n ** 63n - 1n];
const unsigned64 = [1n, 2n ** 31n, 2n ** 32n, 2n ** 53n - 1n, 2n ** 53n, 2n ** 63n, 2n ** 64n - 1n];
const signed32 = [-(2 ** 31), -1, 999, 2 ** 31 - 1];
const unsigned32 = [1, 2 ** 31, 2 ** 32 - 1];

/** Values at the edges of a type; empty for what is no number. */
function extremesOf(type: ScalarType): readonly (bigint | number)[] {
  switch (type) {
    case ScalarType.INT64:
    case ScalarType.SINT64:
    case ScalarType.SFIXED64:
      return signed64;
    case ScalarType.UINT64:
    case ScalarType.FIXED64:
      return unsigned64;
    case ScalarType.INT32:
    case ScalarType.SINT32:
    case ScalarType.SFIXED32:
      return signed32;
    case ScalarType.UINT32:
    case ScalarType.FIXED32:
      return unsigned32;
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return [Number.NaN, Number.POSITIVE_INFINITY, -1, 1e300];
    default:
      return [];
  }
}

/** The values of one field, each with what it takes to set it; messages come with their own fields one by one. */
function* valuesOf(field: DescField): Generator<{ readonly path: string; readonly value: unknown }, void, undefined> {
  const path = field.name;
  switch (field.fieldKind) {
    case "scalar":
      for (const value of extremesOf(field.scalar)) yield { path, value };
      return;
    case "enum":
      for (const value of signed32) yield { path, value };
      return;
    case "message":
      for (const inner of extremeMessages(field.message)) yield { path: `${path}.${inner.path}`, value: inner.message };
      return;
    case "list":
      if (field.listKind === "message")
        for (const inner of extremeMessages(field.message))
          yield { path: `${path}.${inner.path}`, value: [inner.message] };
      else
        for (const value of field.listKind === "enum" ? signed32 : extremesOf(field.scalar))
          yield { path, value: [value] };
      return;
    case "map":
      return;
  }
}

/** Generated messages are plain objects: a list is an array, and a member of a oneof is its case and value. */
function setField(message: object, field: DescField, value: unknown): void {
  const target = message as Record<string, unknown>;
  if (field.oneof === undefined) target[field.localName] = value;
  else target[field.oneof.localName] = { case: field.localName, value };
}

/** Messages in which only the texts are filled; where there is a oneof, one for each message that it may hold. */
function* plainMessages<Desc extends DescMessage>(desc: Desc): Generator<MessageShape<Desc>, void, undefined> {
  const members = desc.oneofs.flatMap(({ fields }) => fields.filter(({ fieldKind }) => fieldKind === "message"));
  for (const member of members.length === 0 ? [undefined] : members) {
    const message = create(desc);
    for (const field of desc.fields)
      if (field.fieldKind === "scalar" && field.scalar === ScalarType.STRING && field.oneof === undefined)
        setField(message, field, field.name === "resource" ? "pods" : "x");
    if (member?.message !== undefined) setField(message, member, create(member.message));
    yield message;
  }
}

/**
 * All of them: each number, however deep, at each of its extremes. Texts are names of something, so that the number is
 * what is looked at.
 */
export function* extremeMessages<Desc extends DescMessage>(
  desc: Desc,
): Generator<ExtremeMessage<Desc>, void, undefined> {
  for (const field of desc.fields)
    for (const { path, value } of valuesOf(field))
      for (const message of plainMessages(desc)) {
        setField(message, field, value);
        yield { path, message };
        if (field.oneof !== undefined) break;
      }
}
