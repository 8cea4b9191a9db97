// SPDX-License-Identifier: Apache-2.0
import { wireTypes } from "./wire-reader.ts";

/** Maximum length of texts copied by a loop: for these, a call into the runtime costs more. */
const shortTextLength = 48;

/** The initial buffer size: most objects fit. */
const firstByteCount = 4096;

/**
 * Writes protobuf's wire format from the last byte to the first, as Go's generated code does: a message's length is
 * known when its tag is written. Write a value before its tag, and fields in descending order of their numbers. A
 * writer is reusable after `take`.
 */
export class WireWriter {
  #bytes = Buffer.allocUnsafeSlow(firstByteCount);
  /** The start of the written bytes. */
  #at = firstByteCount;

  /** The number of written bytes. The difference of two counts is a message's length. */
  get byteCount(): number {
    return this.#bytes.length - this.#at;
  }

  /** Returns a copy of the written bytes and empties the writer. */
  take(): Uint8Array {
    const taken = Uint8Array.prototype.slice.call(this.#bytes, this.#at);
    // The buffer of a large list must not stay allocated.
    if (this.#bytes.length > maxKeptByteCount) this.#bytes = Buffer.allocUnsafeSlow(firstByteCount);
    this.#at = this.#bytes.length;
    return taken;
  }

  /** Drops what was written. */
  clear(): void {
    this.#at = this.#bytes.length;
  }

  writeByte(value: number): void {
    if (this.#at < 1) this.#grow(1);
    this.#at -= 1;
    this.#bytes[this.#at] = value;
  }

  /** Writes the tag of a field whose value is already written. */
  writeTag(number: number, wireType: number): void {
    const tag = (number << 3) | wireType;
    if (tag < 0x80) this.writeByte(tag);
    else this.writeVarint(tag);
  }

  /** Ends a message: writes its length since `start` (a `byteCount`) and its tag. */
  endPart(number: number, start: number): void {
    const length = this.byteCount - start;
    if (length < 0x80) this.writeByte(length);
    else this.writeVarint(length);
    this.writeTag(number, wireTypes.bytes);
  }

  /** An integer of up to 64 bits. Negative ones take 10 bytes, even those of 32 bits. */
  writeVarint(value: number | bigint): void {
    if (typeof value === "number" && value >= 0 && value <= 0x7fff_ffff) this.#writeSmall(value);
    else this.#writeLarge(BigInt.asUintN(64, BigInt(value)));
  }

  writeDouble(value: number): void {
    if (this.#at < 8) this.#grow(8);
    this.#at -= 8;
    this.#bytes.writeDoubleLE(value, this.#at);
  }

  /** Writes text as UTF-8, without its length. */
  writeText(text: string): void {
    const { length } = text;
    if (length > shortTextLength || !this.#writeAscii(text)) {
      const byteCount = Buffer.byteLength(text);
      if (this.#at < byteCount) this.#grow(byteCount);
      this.#at -= byteCount;
      this.#bytes.write(text, this.#at, byteCount, "utf8");
    }
  }

  /** Writes bytes without their length. */
  writeBytes(bytes: Uint8Array): void {
    if (this.#at < bytes.length) this.#grow(bytes.length);
    this.#at -= bytes.length;
    this.#bytes.set(bytes, this.#at);
  }

  /** Writes ASCII text. Returns false, with nothing written, for other characters. */
  #writeAscii(text: string): boolean {
    const { length } = text;
    if (this.#at < length) this.#grow(length);
    const start = this.#at - length;
    for (let index = 0; index < length; index += 1) {
      const code = text.charCodeAt(index);
      if (code > 0x7f) return false;
      this.#bytes[start + index] = code;
    }
    this.#at = start;
    return true;
  }

  #writeSmall(value: number): void {
    const byteCount = value < 0x80 ? 1 : value < 0x4000 ? 2 : value < 0x20_0000 ? 3 : value < 0x1000_0000 ? 4 : 5;
    if (this.#at < byteCount) this.#grow(byteCount);
    this.#at -= byteCount;
    let at = this.#at;
    let rest = value;
    for (; rest > 0x7f; rest >>>= 7) {
      this.#bytes[at] = (rest & 0x7f) | 0x80;
      at += 1;
    }
    this.#bytes[at] = rest;
  }

  #writeLarge(value: bigint): void {
    const groups: number[] = [];
    let rest = value;
    for (; rest > 0x7fn; rest >>= 7n) groups.push(Number(rest & 0x7fn) | 0x80);
    groups.push(Number(rest));
    this.writeBytes(Uint8Array.from(groups));
  }

  /** Makes room for at least that many bytes at the front. */
  #grow(byteCount: number): void {
    const written = this.byteCount;
    const grown = Buffer.allocUnsafeSlow(Math.max(this.#bytes.length * 2, written + byteCount));
    this.#bytes.copy(grown, grown.length - written, this.#at);
    this.#bytes = grown;
    this.#at = grown.length - written;
  }
}

/** Maximum size of a buffer that is kept for the next message: several times the largest object, 3 MiB of JSON. */
const maxKeptByteCount = 8 * 1024 * 1024;
