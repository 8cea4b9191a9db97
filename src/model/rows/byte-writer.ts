// SPDX-License-Identifier: Apache-2.0
import { assert } from "../../base/assert.ts";
import { utf8ByteCount } from "../text.ts";

const encoder = new TextEncoder();

/** Up to this length a plain loop over ASCII is faster than the encoder, whose call costs some 200 ns for any text. */
const shortTextLength = 64;

/** A growing buffer of bytes. Owns its memory; `view` lends it, `take` copies it. */
export class ByteWriter {
  #bytes: Uint8Array<ArrayBuffer>;
  #view: DataView;
  #length = 0;

  constructor(capacityBytes = 1024) {
    this.#bytes = new Uint8Array(capacityBytes);
    this.#view = new DataView(this.#bytes.buffer);
  }

  get length(): number {
    return this.#length;
  }

  /** Drops everything after the first `length` bytes and keeps the memory. */
  reset(length = 0): void {
    assert(length <= this.#length, "what is kept was written");
    this.#length = length;
  }

  #reserve(count: number): void {
    const needed = this.#length + count;
    if (needed <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(needed, this.#bytes.length * 2));
    larger.set(this.#bytes);
    this.#bytes = larger;
    this.#view = new DataView(larger.buffer);
  }

  u8(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#length] = value;
    this.#length += 1;
  }

  u64(value: bigint): void {
    this.#reserve(8);
    this.#view.setBigUint64(this.#length, value, true);
    this.#length += 8;
  }

  f64(value: number): void {
    this.#reserve(8);
    this.#view.setFloat64(this.#length, value, true);
    this.#length += 8;
  }

  /** Unsigned LEB128 of a safe integer. */
  varint(value: number): void {
    assert(value >= 0 && Number.isSafeInteger(value), "a varint is a safe integer that is not negative");
    this.#reserve(8);
    let rest = value;
    while (rest >= 0x80) {
      this.#bytes[this.#length] = (rest % 0x80) | 0x80;
      this.#length += 1;
      rest = Math.floor(rest / 0x80);
    }
    this.#bytes[this.#length] = rest;
    this.#length += 1;
  }

  /** A zigzag varint: twice the magnitude, less one if the number is negative. The magnitude must be below 2^52. */
  signed(value: number): void {
    this.varint(value >= 0 ? value * 2 : -value * 2 - 1);
  }

  /** The low `width` bytes of a number below 2^48, little-endian. */
  uint(value: number, width: number): void {
    this.#reserve(width);
    let rest = value >>> 0;
    for (let at = 0; at < width; at += 1) {
      if (at === 4) rest = Math.floor(value / 0x1_0000_0000);
      this.#bytes[this.#length + at] = rest;
      rest >>>= 8;
    }
    this.#length += width;
  }

  bytes(value: Uint8Array): void {
    this.#reserve(value.length);
    this.#bytes.set(value, this.#length);
    this.#length += value.length;
  }

  /** UTF-8 without a length. Returns the number of bytes. A lone surrogate becomes U+FFFD (CO26). */
  utf8(text: string): number {
    this.#reserve(text.length * 3);
    const from = this.#length;
    if (text.length <= shortTextLength) {
      const bytes = this.#bytes;
      let at = 0;
      for (; at < text.length; at += 1) {
        const unit = text.charCodeAt(at);
        if (unit >= 0x80) break;
        bytes[from + at] = unit;
      }
      if (at === text.length) {
        this.#length = from + at;
        return at;
      }
    }
    const { written } = encoder.encodeInto(text, this.#bytes.subarray(from));
    this.#length = from + written;
    return written;
  }

  /** UTF-8 preceded by its byte length as a varint. */
  text(text: string): void {
    // Below 43 units the length is always one byte, so the text is written after a placeholder and the length filled in
    // later.
    if (text.length * 3 < 0x80) {
      const at = this.#length;
      this.u8(0);
      const byteCount = this.utf8(text);
      this.#bytes[at] = byteCount;
      return;
    }
    this.varint(utf8ByteCount(text));
    this.utf8(text);
  }

  /** The written bytes, borrowed until the next write or reset. */
  view(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  /** A copy of the written bytes. */
  take(): Uint8Array<ArrayBuffer> {
    return this.#bytes.slice(0, this.#length);
  }
}
