// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";
import { maxDecodedBytes } from "./format.ts";

/** Most bytes of a varint below 2^53. */
const maxVarintBytes = 8;

/**
 * Reads hostile bytes in order. Nothing is read beyond the end, every count is compared with what remains, and every
 * array is counted before it is made. All faults are MALFORMED with the position.
 */
export class ByteReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at: number;
  #decodedBytes = 0;

  constructor(bytes: Uint8Array, at = 0) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#at = at;
  }

  get remaining(): number {
    return this.#bytes.length - this.#at;
  }

  /** Bytes of all arrays made so far. */
  get decodedBytes(): number {
    return this.#decodedBytes;
  }

  malformed(fault: string): never {
    throw new FlotillaError("MALFORMED", `row batch is damaged: ${fault} at byte ${this.#at}`, {
      ids: { byte: this.#at, decodedBytes: this.#decodedBytes },
    });
  }

  u8(): number {
    const value = this.#bytes[this.#at];
    if (value === undefined) this.malformed("it ends too early");
    this.#at += 1;
    return value;
  }

  varint(): number {
    let value = 0;
    let scale = 1;
    for (let count = 1; ; count += 1) {
      const byte = this.u8();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) {
        if (byte === 0 && count > 1) this.malformed("a number is padded");
        break;
      }
      if (count === maxVarintBytes) this.malformed("a number is too long");
      scale *= 0x80;
    }
    if (value > Number.MAX_SAFE_INTEGER) this.malformed("a number is too large");
    return value;
  }

  /** A number that may be negative: twice its size, less one when it is. */
  signed(): number {
    const value = this.varint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  /** A number of elements that take at least `minBytes` each, refused when that many bytes do not remain. */
  count(what: string, minBytes: number, max = Number.MAX_SAFE_INTEGER): number {
    const count = this.varint();
    if (count > max) this.malformed(`${count} ${what} are more than ${max}`);
    if (count * minBytes > this.remaining) this.malformed(`${count} ${what} do not fit into ${this.remaining} bytes`);
    return count;
  }

  /** A varint below `limit`. */
  id(what: string, limit: number): number {
    const id = this.varint();
    if (id >= limit) this.malformed(`${what} ${id} is not one of ${limit}`);
    return id;
  }

  /** The next bytes, lent, not copied. */
  take(byteCount: number): Uint8Array {
    if (byteCount > this.remaining) this.malformed(`it ends too early for ${byteCount} bytes`);
    const from = this.#at;
    this.#at += byteCount;
    return this.#bytes.subarray(from, this.#at);
  }

  /** One double of the next `take`n bytes is read through this view. */
  takeView(byteCount: number): DataView {
    const bytes = this.take(byteCount);
    return new DataView(this.#view.buffer, bytes.byteOffset, byteCount);
  }

  newUint8Array(length: number): Uint8Array {
    this.#reserve(length);
    return new Uint8Array(length);
  }

  newUint32Array(length: number): Uint32Array {
    this.#reserve(length * 4);
    return new Uint32Array(length);
  }

  newFloat64Array(length: number): Float64Array {
    this.#reserve(length * 8);
    return new Float64Array(length);
  }

  #reserve(byteCount: number): void {
    if (this.#decodedBytes + byteCount > maxDecodedBytes)
      this.malformed(`it takes more than ${maxDecodedBytes} bytes to decode`);
    this.#decodedBytes += byteCount;
  }
}
