// SPDX-License-Identifier: Apache-2.0
import { TextCache } from "./text-cache.ts";

/**
 * Reads bytes that `ByteWriter` wrote in this process. It does not check them: they never come from outside. One reader
 * serves many records, so that shared texts are built once.
 */
export class RecordReader {
  readonly #texts = new TextCache();
  #bytes: Uint8Array = new Uint8Array();
  #view = new DataView(this.#bytes.buffer);
  #at = 0;

  /** The position of the next byte. */
  get at(): number {
    return this.#at;
  }

  /** Reads from these bytes, which must not change meanwhile. */
  open(bytes: Uint8Array, from = 0): void {
    if (bytes !== this.#bytes) {
      this.#bytes = bytes;
      this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    }
    this.#at = from;
  }

  u8(): number {
    const value = this.#bytes[this.#at] ?? 0;
    this.#at += 1;
    return value;
  }

  varint(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 0x80) {
      const byte = this.#bytes[this.#at] ?? 0;
      this.#at += 1;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
  }

  f64(): number {
    const value = this.#view.getFloat64(this.#at, true);
    this.#at += 8;
    return value;
  }

  text(): string {
    const byteCount = this.varint();
    const from = this.#at;
    this.#at += byteCount;
    return this.#texts.get(this.#bytes, from, this.#at);
  }

  /** Whether the bytes from the current position on equal those from `from` to `to`. */
  isRepeated(from: number, to: number): boolean {
    const bytes = this.#bytes;
    const offset = this.#at - from;
    for (let at = from; at < to; at += 1) if (bytes[at] !== bytes[at + offset]) return false;
    return true;
  }
}
