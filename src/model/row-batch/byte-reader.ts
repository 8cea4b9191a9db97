// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";
import { maxDecodedBytes } from "./format.ts";

/** The longest varint below 2^53, in bytes. */
const maxVarintBytes = 8;

/**
 * Reads untrusted bytes in order. It never reads beyond the end, compares every count with the remaining bytes, and
 * counts every array before allocating it. All faults are MALFORMED with the position.
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

  /** The bytes of all arrays allocated so far. */
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

  /** Reads a zigzag number: twice its magnitude, less one if it is negative. */
  signed(): number {
    const value = this.varint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  /** Reads a number of elements of at least `minBytes` each. Refused if fewer bytes remain. */
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

  skip(byteCount: number): void {
    if (byteCount > this.remaining) this.malformed(`it ends too early for ${byteCount} bytes`);
    this.#at += byteCount;
  }

  /** The next bytes, borrowed, not copied. */
  take(byteCount: number): Uint8Array {
    if (byteCount > this.remaining) this.malformed(`it ends too early for ${byteCount} bytes`);
    const from = this.#at;
    this.#at += byteCount;
    return this.#bytes.subarray(from, this.#at);
  }

  /** A view of the next bytes, borrowed, not copied. */
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
