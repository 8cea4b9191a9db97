// SPDX-License-Identifier: Apache-2.0
import type { ByteReader } from "./byte-reader.ts";
import { maxTextBytes } from "./format.ts";

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** A separate decoder: the fatal one throws where the other replaces. */
const validator = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Bytes validated at a time. Validation builds and drops a string, so this bounds its memory. */
const validatedBytes = 65_536;

/**
 * The texts of a batch as one sequence of UTF-8 bytes, ascending bytewise, so that ids are in the order of their texts.
 * JavaScript strings are built on demand.
 */
export class StringTable {
  /** All texts, concatenated. */
  readonly bytes: Uint8Array;
  /** Text `id` spans `offsets[id]` to `offsets[id + 1]`. Both are 0 for the empty text. */
  readonly offsets: Uint32Array;
  readonly #made: string[] = [""];

  constructor(bytes: Uint8Array, offsets: Uint32Array) {
    this.bytes = bytes;
    this.offsets = offsets;
  }

  /** The number of texts, including the empty one. */
  get count(): number {
    return this.offsets.length - 1;
  }

  /** The bytes of a text, borrowed. */
  bytesOf(id: number): Uint8Array {
    return this.bytes.subarray(this.offsets[id], this.offsets[id + 1]);
  }

  /** The text as a string, built once. */
  get(id: number): string {
    const made = this.#made[id];
    if (made !== undefined) return made;
    const text = decoder.decode(this.bytesOf(id));
    this.#made[id] = text;
    return text;
  }
}

/** Reads the table. The texts must be non-empty, valid UTF-8 and strictly ascending. */
export function readStringTable(reader: ByteReader): StringTable {
  // A text takes a byte for its shared length, one for its own length, and at least one of its own.
  const count = reader.count("strings", 3);
  const shared = reader.take(count);
  const offsets = reader.newUint32Array(count + 2);
  let suffixTotal = 0;
  for (let id = 1; id <= count; id += 1) {
    const suffixBytes = reader.varint();
    const byteCount = (shared[id - 1] ?? 0) + suffixBytes;
    if (suffixBytes === 0 || byteCount > maxTextBytes) reader.malformed(`a stored string of ${byteCount} bytes`);
    suffixTotal += suffixBytes;
    if (suffixTotal > reader.remaining) reader.malformed("the strings do not fit");
    offsets[id + 1] = (offsets[id] ?? 0) + byteCount;
  }
  const bytes = reader.newUint8Array(offsets[count + 1] ?? 0);
  const suffixes = reader.take(suffixTotal);
  expand(reader, { shared, offsets, suffixes, bytes });
  if (!isAscii(suffixes)) checkUtf8(reader, bytes, offsets);
  return new StringTable(bytes, offsets);
}

interface Expansion {
  readonly shared: Uint8Array;
  readonly offsets: Uint32Array;
  readonly suffixes: Uint8Array;
  readonly bytes: Uint8Array;
}

/** Builds each text from a prefix of the previous one and its own suffix. */
function expand(reader: ByteReader, { shared, offsets, suffixes, bytes }: Expansion): void {
  let before = 0;
  let start = 0;
  let from = 0;
  for (let id = 1; id < offsets.length - 1; id += 1) {
    const end = offsets[id + 1] ?? 0;
    const sharedBytes = shared[id - 1] ?? 0;
    if (sharedBytes > start - before) reader.malformed("a string shares more than there is");
    for (let at = 0; at < sharedBytes; at += 1) bytes[start + at] = bytes[before + at] ?? 0;
    for (let at = start + sharedBytes; at < end; at += 1, from += 1) bytes[at] = suffixes[from] ?? 0;
    let at = sharedBytes;
    while (before + at < start && start + at < end && bytes[before + at] === bytes[start + at]) at += 1;
    const isAscending =
      before + at === start
        ? start + at < end
        : start + at < end && (bytes[before + at] ?? 0) < (bytes[start + at] ?? 0);
    if (!isAscending) reader.malformed("the strings are not in order");
    before = start;
    start = end;
  }
}

/** True for most tables, which then need no validation: every byte of every text occurs in a suffix. */
function isAscii(bytes: Uint8Array): boolean {
  let bits = 0;
  for (let at = 0; at < bytes.length; at += 1) bits |= bytes[at] ?? 0;
  return bits < 0x80;
}

function checkUtf8(reader: ByteReader, bytes: Uint8Array, offsets: Uint32Array): void {
  let from = 0;
  for (let id = 1; id < offsets.length - 1; id += 1) {
    // A valid sequence of whole strings has valid parts, unless one begins inside a character: 10xxxxxx.
    if (((bytes[offsets[id] ?? 0] ?? 0) & 0xc0) === 0x80) reader.malformed("a string begins inside a character");
    const end = offsets[id + 1] ?? 0;
    if (end - from < validatedBytes && id < offsets.length - 2) continue;
    if (!isUtf8(bytes.subarray(from, end))) reader.malformed("a string is not UTF-8");
    from = end;
  }
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    validator.decode(bytes);
    return true;
  } catch {
    return false;
  }
}
