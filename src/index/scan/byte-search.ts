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
}

function findShort(bytes: Uint8Array, wanted: Uint8Array, from: number, end: number): number {
  for (let at = from; at + wanted.length <= end; at += 1) {
    let same = 0;
    while (same < wanted.length && bytes[at + same] === wanted[same]) same += 1;
    if (same === wanted.length) return at;
  }
  return -1;
}
