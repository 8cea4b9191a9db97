// SPDX-License-Identifier: Apache-2.0
// `optional X[n]` of the layout: a presence map of the rows, then the present values.
import type { ByteWriter } from "../rows/byte-writer.ts";
import type { ByteReader } from "./byte-reader.ts";

/** Writes which values are present (NaN is absent), and returns the present ones in order. */
export function writePresence(writer: ByteWriter, values: Float64Array): Float64Array {
  const present = values.filter((value) => !Number.isNaN(value));
  if (values.length === 0) return present;
  if (present.length === 0) writer.u8(0);
  else if (present.length === values.length) writer.u8(1);
  else {
    writer.u8(2);
    for (let from = 0; from < values.length; from += 8) {
      let byte = 0;
      for (let bit = 0; bit < 8 && from + bit < values.length; bit += 1)
        if (!Number.isNaN(values[from + bit])) byte |= 1 << bit;
      writer.u8(byte);
    }
  }
  return present;
}

/** Which of `count` rows have a value. */
export type Presence =
  | { readonly form: "none"; readonly presentCount: 0 }
  | { readonly form: "all"; readonly presentCount: number }
  | { readonly form: "some"; readonly presentCount: number; readonly bitmap: Uint8Array };

/** Reads which of `count` rows have a value. */
export function readPresence(reader: ByteReader, count: number): Presence {
  const form = count === 0 ? 0 : reader.u8();
  if (form === 0) return { form: "none", presentCount: 0 };
  if (form === 1) return { form: "all", presentCount: count };
  if (form !== 2) reader.malformed(`presence of form ${form}`);
  const bitmap = reader.take(Math.ceil(count / 8));
  let presentCount = 0;
  for (const byte of bitmap) for (let rest = byte; rest > 0; rest &= rest - 1) presentCount += 1;
  const unusedBits = bitmap.length * 8 - count;
  if (unusedBits > 0 && (bitmap[bitmap.length - 1] ?? 0) >> (8 - unusedBits) !== 0)
    reader.malformed("presence of rows that are not there");
  return { form: "some", presentCount, bitmap };
}

/** Writes the present values to their rows' places in `out`, and `absent` to the others. */
export function spread<Out extends Uint8Array | Uint32Array | Float64Array>(
  presence: Presence,
  dense: ArrayLike<number>,
  out: Out,
  absent: number,
): Out {
  if (presence.form !== "some") {
    if (presence.form === "none") out.fill(absent);
    else out.set(dense);
    return out;
  }
  for (let at = 0, next = 0; at < out.length; at += 1) {
    const isPresent = (((presence.bitmap[at >> 3] ?? 0) >> (at & 7)) & 1) === 1;
    out[at] = isPresent ? (dense[next] ?? absent) : absent;
    if (isPresent) next += 1;
  }
  return out;
}
