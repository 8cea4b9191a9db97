// SPDX-License-Identifier: Apache-2.0
// Protobuf messages put together from fields that are encoded already: fields may stand in any order, and those of a list one after another.
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";

/** An encoded message as a field of another. */
export function toField(fieldNumber: number, message: Uint8Array): Uint8Array {
  return new BinaryWriter().tag(fieldNumber, WireType.LengthDelimited).bytes(message).finish();
}

/** The message that has all of these fields. */
export function joinFields(fields: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(fields.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const field of fields) {
    joined.set(field, at);
    at += field.length;
  }
  return joined;
}

/** True for equal bytes. */
export function isSameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && Buffer.compare(a, b) === 0;
}
