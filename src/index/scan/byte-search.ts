// SPDX-License-Identifier: Apache-2.0
import { toSmallByte } from "../table/text-signature.ts";

/** Creating a view for the native search takes as long as looking at this many bytes. */
const shortRange = 128;

/** The place of the first occurrence of some bytes from a place on, or -1. */
export type FindBytes = (from: number) => number;

/**
 * Searches for bytes in ranges of arrays. `Buffer` has the only native search of the platform for more than one byte: it
 * takes 0.3 ns a byte, a loop over the array five times as long.
 */
export class ByteSearch {
  readonly #wanted: Buffer;

  /** `wanted` has at least one byte. */
  constructor(wanted: Uint8Array) {
    this.#wanted = Buffer.from(wanted);
  }

  get length(): number {
    return this.#wanted.length;
  }

  /** Searches before the place `end`, for calls with growing places. */
  open(bytes: Uint8Array, from: number, end: number): FindBytes {
    const wanted = this.#wanted;
    if (end - from < shortRange) return (at) => findShort(bytes, wanted, at, end);
    const range = Buffer.from(bytes.buffer, bytes.byteOffset, end);
    return (at) => range.indexOf(wanted, at);
  }

  /** Whether the bytes are in a short range. */
  isIn(bytes: Uint8Array, from: number, end: number): boolean {
    return findShort(bytes, this.#wanted, from, end) !== -1;
  }

  /**
   * Whether the bytes, which have no capital letter, are in a range in any case of letters. Undefined if the range is not
   * ASCII: letters of other alphabets may have small forms in ASCII.
   */
  isInAnyCase(bytes: Uint8Array, from: number, end: number): boolean | undefined {
    const wanted = this.#wanted;
    const [first, length] = [wanted[0] ?? 0, wanted.length];
    let all = 0;
    for (let at = from; at < end; at += 1) {
      const byte = bytes[at] ?? 0;
      all |= byte;
      if (smallBytes[byte] !== first || at + length > end) continue;
      let same = 1;
      while (same < length && smallBytes[bytes[at + same] ?? 0] === wanted[same]) same += 1;
      // The bytes of the text after this place may not be ASCII, which changes nothing for those that were compared.
      if (same === length) return all < 0x80 ? true : undefined;
    }
    return all < 0x80 ? false : undefined;
  }
}

/** By byte: a capital letter of ASCII as a small one, and every other byte as it is. */
const smallBytes = Uint8Array.from({ length: 256 }, (_, byte) => toSmallByte(byte));

function findShort(bytes: Uint8Array, wanted: Uint8Array, from: number, end: number): number {
  const { length } = wanted;
  const [first, second] = [wanted[0], length === 1 ? undefined : wanted[1]];
  const last = end - length;
  for (let at = from; at <= last; at += 1) {
    // Two bytes rule out nearly every place.
    if (bytes[at] !== first || (second !== undefined && bytes[at + 1] !== second)) continue;
    let same = 2;
    while (same < length && bytes[at + same] === wanted[same]) same += 1;
    if (same >= length) return at;
  }
  return -1;
}
