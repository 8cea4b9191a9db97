// SPDX-License-Identifier: Apache-2.0
// `ids` of the layout: numbers of table entries, plain or through a dictionary of those that occur.
import type { ByteWriter } from "../rows/byte-writer.ts";
import type { ByteReader } from "./byte-reader.ts";
import { widthOf, writeInts } from "./ints.ts";

/** The widest id in bytes: tables have fewer than 2^32 entries. */
const maxIdBytes = 4;

/** The distinct ids, ascending. */
function distinctOf(ids: ArrayLike<number>, max: number): Uint32Array {
  const seen = new Uint8Array(max + 1);
  let count = 0;
  for (let at = 0; at < ids.length; at += 1) {
    const id = ids[at] ?? 0;
    count += 1 - (seen[id] ?? 0);
    seen[id] = 1;
  }
  const distinct = new Uint32Array(count);
  for (let id = 0, next = 0; next < count; id += 1) {
    if (seen[id] === 0) continue;
    distinct[next] = id;
    next += 1;
  }
  return distinct;
}

/** Writes ids in the shorter form; writes nothing for an empty list. `minWidth` as for ints. */
export function writeIds(writer: ByteWriter, ids: ArrayLike<number>, minWidth = 0): void {
  if (ids.length === 0) return;
  let min = Number.POSITIVE_INFINITY;
  let max = 0;
  for (let at = 0; at < ids.length; at += 1) {
    const id = ids[at] ?? 0;
    if (id < min) min = id;
    if (id > max) max = id;
  }
  const distinct = distinctOf(ids, max);
  const plainCost = ids.length * Math.max(minWidth, widthOf(max - min));
  const indexWidth = Math.max(minWidth, widthOf(distinct.length - 1));
  // The eight bytes estimate the dictionary's own count and width.
  const dictionaryCost = ids.length * indexWidth + distinct.length * widthOf(max - min) + 8;
  if (plainCost <= dictionaryCost) {
    writer.u8(0);
    writeInts(writer, ids, minWidth);
    return;
  }
  writer.u8(1);
  writer.varint(distinct.length);
  writeInts(writer, distinct);
  const indexOf = new Uint32Array(max + 1);
  for (let index = 0; index < distinct.length; index += 1) indexOf[distinct[index] ?? 0] = index;
  const indexes = Uint32Array.from(ids, (id) => indexOf[id] ?? 0);
  writeInts(writer, indexes, minWidth);
}

/**
 * Fills `out` with unsigned numbers of `width` bytes and returns the greatest. It has one loop per width, because much
 * of the decoding time is spent here.
 */
function fillOffsets(out: Uint32Array, bytes: Uint8Array, width: number): number {
  let max = 0;
  if (width === 1)
    for (let at = 0; at < out.length; at += 1) {
      const offset = bytes[at] ?? 0;
      out[at] = offset;
      if (offset > max) max = offset;
    }
  else if (width === 2)
    for (let at = 0; at < out.length; at += 1) {
      const offset = (bytes[2 * at] ?? 0) | ((bytes[2 * at + 1] ?? 0) << 8);
      out[at] = offset;
      if (offset > max) max = offset;
    }
  else if (width === 3)
    for (let at = 0; at < out.length; at += 1) {
      const offset = (bytes[3 * at] ?? 0) | ((bytes[3 * at + 1] ?? 0) << 8) | ((bytes[3 * at + 2] ?? 0) << 16);
      out[at] = offset;
      if (offset > max) max = offset;
    }
  else if (width === 4)
    for (let at = 0; at < out.length; at += 1) {
      const low = (bytes[4 * at] ?? 0) | ((bytes[4 * at + 1] ?? 0) << 8) | ((bytes[4 * at + 2] ?? 0) << 16);
      const offset = low + (bytes[4 * at + 3] ?? 0) * 0x100_0000;
      out[at] = offset;
      if (offset > max) max = offset;
    }
  return max;
}

function readPlain(reader: ByteReader, count: number, limit: number, minWidth: number): Uint32Array {
  const out = reader.newUint32Array(count);
  const width = reader.u8();
  if (width > maxIdBytes || width < minWidth) reader.malformed(`a width of ${width} bytes for ids`);
  const base = reader.signed();
  if (base < 0 || base >= limit) reader.malformed(`the id ${base} is not one of ${limit}`);
  const bytes = reader.take(count * width);
  const max = fillOffsets(out, bytes, width);
  if (base > 0) for (let at = 0; at < count; at += 1) out[at] = (out[at] ?? 0) + base;
  if (base + max >= limit) reader.malformed(`the id ${base + max} is not one of ${limit}`);
  return out;
}

/** Reads `count` ids below `limit` into a new array. With `minWidth` 1 every id takes at least a byte. */
export function readIds(reader: ByteReader, count: number, limit: number, minWidth = 0): Uint32Array {
  if (count === 0) return reader.newUint32Array(0);
  const form = reader.u8();
  if (form > 1) reader.malformed(`ids of form ${form}`);
  if (form === 0) return readPlain(reader, count, limit, minWidth);
  // Dictionary entries are distinct, so each takes a byte, unless there is only one, which would be written plain.
  const distinctCount = reader.count("dictionary entries", 1, count);
  if (distinctCount === 0) reader.malformed("an empty dictionary");
  const distinct = readPlain(reader, distinctCount, limit, 0);
  const out = readPlain(reader, count, distinctCount, minWidth);
  for (let at = 0; at < count; at += 1) out[at] = distinct[out[at] ?? 0] ?? 0;
  return out;
}

/** Skips `count` ids without a look at them. */
export function skipIds(reader: ByteReader, count: number): void {
  if (count === 0) return;
  const form = reader.u8();
  if (form > 1) reader.malformed(`ids of form ${form}`);
  if (form === 1) skipPlain(reader, reader.count("dictionary entries", 1, count));
  skipPlain(reader, count);
}

function skipPlain(reader: ByteReader, count: number): void {
  const width = reader.u8();
  if (width > maxIdBytes) reader.malformed(`a width of ${width} bytes for ids`);
  reader.signed();
  reader.skip(count * width);
}
