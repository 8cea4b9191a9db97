// SPDX-License-Identifier: Apache-2.0
// Builds protobuf messages from encoded fields: fields can have any order, and elements of a list follow one another.

/** Set in every byte of a varint except the last. */
const moreBit = 0x80;

const lengthDelimited = 2;

/** Wraps an encoded message as a field of another. */
export function toField(fieldNumber: number, message: Uint8Array): Uint8Array {
  const head = [...varintOf(fieldNumber * 8 + lengthDelimited), ...varintOf(message.length)];
  const field = new Uint8Array(head.length + message.length);
  field.set(head);
  field.set(message, head.length);
  return field;
}

function* varintOf(value: number): Generator<number, void, undefined> {
  let rest = value;
  for (; rest >= moreBit; rest = Math.floor(rest / moreBit)) yield (rest % moreBit) + moreBit;
  yield rest;
}

/** Joins encoded fields to one message. */
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
