// SPDX-License-Identifier: Apache-2.0
// `ints` of the layout: numbers as unsigned offsets from the least of them, in as few bytes as the greatest needs.
import { assert } from "../../base/assert.ts";
import type { ByteWriter } from "../rows/byte-writer.ts";
import type { ByteReader } from "./byte-reader.ts";

/** The widest offset in bytes. A wider range of values is written as plain 64-bit numbers. */
const maxOffsetBytes = 6;

/** The width of a value written as a signed 64-bit number. */
const plainBytes = 8;

/** A base is written doubled and must stay a safe integer. Values with a larger base are written plain. */
const maxBase = Math.floor(Number.MAX_SAFE_INTEGER / 2) - 1;

/** The bytes of an offset up to `spread`; 0 if all values are equal. */
export function widthOf(spread: number): number {
  let width = 0;
  for (let rest = spread; rest > 0; rest = Math.floor(rest / 0x100)) width += 1;
  return width <= maxOffsetBytes ? width : plainBytes;
}

/**
 * Writes safe integers; writes nothing for an empty list. With `minWidth` 1 equal values take a byte each, not none.
 */
export function writeInts(writer: ByteWriter, values: ArrayLike<number>, minWidth = 0): void {
  if (values.length === 0) return;
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  for (let at = 0; at < values.length; at += 1) {
    const value = values[at] ?? 0;
    assert(Number.isSafeInteger(value), "an integer column holds safe integers");
    if (value < min) min = value;
    if (value > max) max = value;
  }
  const width = Math.abs(min) > maxBase ? plainBytes : Math.max(minWidth, widthOf(max - min));
  writer.u8(width);
  if (width === plainBytes) {
    for (let at = 0; at < values.length; at += 1) writer.u64(BigInt.asUintN(64, BigInt(values[at] ?? 0)));
    return;
  }
  writer.signed(min);
  for (let at = 0; at < values.length; at += 1) writer.uint((values[at] ?? 0) - min, width);
}

/** Reads `count` safe integers from `min` to `max` into a new array. */
export function readInts(reader: ByteReader, count: number, range: { min: number; max: number }): Float64Array {
  const out = reader.newFloat64Array(count);
  if (count === 0) return out;
  const width = reader.u8();
  if (width > maxOffsetBytes && width !== plainBytes) reader.malformed(`a width of ${width} bytes`);
  const least = width === plainBytes ? readPlain(reader, out) : readOffsets(reader, out, width);
  let most = least;
  for (let at = 0; at < count; at += 1) most = Math.max(most, out[at] ?? 0);
  if (least < range.min || most > range.max)
    reader.malformed(`the number ${least < range.min ? least : most} is out of range`);
  return out;
}

/** Fills `out` with 64-bit numbers and returns the least. */
function readPlain(reader: ByteReader, out: Float64Array): number {
  const view = reader.takeView(out.length * plainBytes);
  let least = Number.POSITIVE_INFINITY;
  for (let at = 0; at < out.length; at += 1) {
    const value = Number(view.getBigInt64(at * plainBytes, true));
    least = Math.min(least, value);
    out[at] = value;
  }
  return least;
}

/** Fills `out` with base plus offsets and returns the base. */
function readOffsets(reader: ByteReader, out: Float64Array, width: number): number {
  const base = reader.signed();
  const bytes = reader.take(out.length * width);
  if (width === 0) {
    out.fill(base);
    return base;
  }
  for (let at = 0, from = 0; at < out.length; at += 1, from += width) {
    let offset = bytes[from] ?? 0;
    if (width > 1) offset += (bytes[from + 1] ?? 0) * 0x100;
    if (width > 2) offset += (bytes[from + 2] ?? 0) * 0x1_0000;
    if (width > 3) offset += (bytes[from + 3] ?? 0) * 0x100_0000;
    if (width > 4) offset += (bytes[from + 4] ?? 0) * 0x1_0000_0000;
    if (width > 5) offset += (bytes[from + 5] ?? 0) * 0x100_0000_0000;
    out[at] = base + offset;
  }
  return base;
}

/** The range of any safe integer. */
export const anyInteger = { min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER };

/** Skips `count` integers without a look at them. */
export function skipInts(reader: ByteReader, count: number): void {
  if (count === 0) return;
  const width = reader.u8();
  if (width > maxOffsetBytes && width !== plainBytes) reader.malformed(`a width of ${width} bytes`);
  if (width !== plainBytes) reader.signed();
  reader.skip(count * width);
}
