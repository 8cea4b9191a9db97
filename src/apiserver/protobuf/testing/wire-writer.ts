// SPDX-License-Identifier: Apache-2.0
// Just enough of an encoder to write messages by hand in tests.

type Bytes = readonly number[];

export function varint(value: number | bigint): Bytes {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  return [...bytes, Number(rest)];
}

/** A field with a length: a message of parts, or a text. */
export function part(number: number, ...content: readonly (Bytes | string)[]): Bytes {
  const bytes = content.flatMap((each) => (typeof each === "string" ? [...new TextEncoder().encode(each)] : each));
  return [...varint((number << 3) | 2), ...varint(bytes.length), ...bytes];
}

/** A field that is a varint. */
export function int(number: number, value: number | bigint): Bytes {
  return [...varint(number << 3), ...varint(value)];
}

/** A whole body. Empty texts name no kind. */
export function body(apiVersion: string, kind: string, ...message: readonly Bytes[]): Uint8Array {
  const named = [...(apiVersion === "" ? [] : part(1, apiVersion)), ...(kind === "" ? [] : part(2, kind))];
  return Uint8Array.from([0x6b, 0x38, 0x73, 0, ...part(1, named), ...part(2, ...message)]);
}
