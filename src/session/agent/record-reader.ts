// SPDX-License-Identifier: Apache-2.0

/** A text may begin with a byte order mark, which is a character of it. */
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Reads what `ByteWriter` wrote in this process. It trusts the bytes: they never come from outside. */
export class RecordReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  u8(): number {
    const value = this.#bytes[this.#at] ?? 0;
    this.#at += 1;
    return value;
  }

  varint(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 0x80) {
      const byte = this.u8();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
  }

  f64(): number {
    const value = this.#view.getFloat64(this.#at, true);
    this.#at += 8;
    return value;
  }

  /** Lent, as the record is. */
  bytes(byteCount: number): Uint8Array {
    this.#at += byteCount;
    return this.#bytes.subarray(this.#at - byteCount, this.#at);
  }

  text(): string {
    const byteCount = this.varint();
    return byteCount === 0 ? "" : decoder.decode(this.bytes(byteCount));
  }
}
