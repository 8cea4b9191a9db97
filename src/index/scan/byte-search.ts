// SPDX-License-Identifier: Apache-2.0

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

  /**
   * Whether the bytes, which have no capital letter, are in a range in any case of letters. Undefined if the range is not
   * ASCII: letters of other alphabets may have small forms in ASCII.
   */
  isInAnyCase(bytes: Uint8Array, from: number, end: number): boolean | undefined {
    if (!isAscii(bytes, from, end)) return undefined;
    const wanted = this.#wanted;
    for (let at = from; at + wanted.length <= end; at += 1) {
      let same = 0;
      while (same < wanted.length && toSmall(bytes[at + same] ?? 0) === wanted[same]) same += 1;
      if (same === wanted.length) return true;
    }
    return false;
  }
}

/** A capital letter of ASCII as a small one. */
function toSmall(byte: number): number {
  return byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte;
}

function isAscii(bytes: Uint8Array, from: number, end: number): boolean {
  let all = 0;
  for (let at = from; at < end; at += 1) all |= bytes[at] ?? 0;
  return all < 0x80;
}

function findShort(bytes: Uint8Array, wanted: Uint8Array, from: number, end: number): number {
  for (let at = from; at + wanted.length <= end; at += 1) {
    let same = 0;
    while (same < wanted.length && bytes[at + same] === wanted[same]) same += 1;
    if (same === wanted.length) return at;
  }
  return -1;
}
