// SPDX-License-Identifier: Apache-2.0
// Reads protobuf's wire format as Go's generated code does: accepts the same bytes and has the same error messages.

/** The prefix of every protobuf body: `k8s` and a zero byte. */
export const protobufPrefix = Uint8Array.of(0x6b, 0x38, 0x73, 0);

/** Bytes that are not a message. The text is Go's. */
export class MalformedProtobuf extends Error {
  override readonly name = "MalformedProtobuf";
}

/** Wire types: varint, 8 bytes, length and bytes, bounds of a group, 4 bytes. */
export const wireTypes = { varint: 0, fixed64: 1, bytes: 2, startGroup: 3, endGroup: 4, fixed32: 5 } as const;

/** `ignoreBOM`: Go keeps a byte order mark. */
const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** A position in bytes, with an end. It never reads past the end and copies nothing except strings. */
export class WireReader {
  readonly #bytes: Uint8Array;
  readonly #end: number;
  #at: number;
  /** Low and high half of the last varint. */
  #low = 0;
  #high = 0;

  constructor(bytes: Uint8Array, start = 0, end = bytes.length) {
    this.#bytes = bytes;
    this.#at = start;
    this.#end = end;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#end;
  }

  /** The next field's number and wire type. `owner` is the name of its message in errors. */
  readTag(owner: string): { readonly number: number; readonly wireType: number } {
    this.#readVarint();
    const wireType = this.#low & 7;
    const number = (this.#low >>> 3) | (this.#high << 29) | 0;
    if (wireType === wireTypes.endGroup) {
      throw new MalformedProtobuf(`proto: ${owner}: wiretype end group for non-group`);
    }
    if (number <= 0) {
      const tag = (BigInt(this.#high) << 32n) | BigInt(this.#low);
      throw new MalformedProtobuf(`proto: ${owner}: illegal tag ${number} (wire type ${tag})`);
    }
    return { number, wireType };
  }

  readBoolean(): boolean {
    this.#readVarint();
    return (this.#low | this.#high) !== 0;
  }

  /** Drops higher bits. */
  readInt32(): number {
    this.#readVarint();
    return this.#low | 0;
  }

  /** A number if a double represents it exactly, otherwise a bigint. */
  readInt64(): number | bigint {
    this.#readVarint();
    const value = (this.#high | 0) * 2 ** 32 + this.#low;
    if (Number.isSafeInteger(value)) return value;
    return BigInt.asIntN(64, (BigInt(this.#high) << 32n) | BigInt(this.#low));
  }

  readDouble(): number {
    const start = this.#advance(8);
    return new DataView(this.#bytes.buffer, this.#bytes.byteOffset + start, 8).getFloat64(0, true);
  }

  /** A reader of the next length-delimited value. */
  readPart(): WireReader {
    const length = this.#readLength();
    const start = this.#advance(length);
    return new WireReader(this.#bytes, start, start + length);
  }

  readText(): string {
    return utf8.decode(this.readBytes());
  }

  /** The next length-delimited bytes, shared with the input. */
  readBytes(): Uint8Array {
    const length = this.#readLength();
    const start = this.#advance(length);
    return this.#bytes.subarray(start, start + length);
  }

  /** The remaining bytes, shared with the input. */
  rest(): Uint8Array {
    return this.#bytes.subarray(this.#at, this.#end);
  }

  /** Skips a value of an unknown field. */
  skip(wireType: number): void {
    let openCount = 0;
    for (let type = wireType; ; ) {
      if (type === wireTypes.varint) this.#readVarint();
      else if (type === wireTypes.fixed64) this.#advance(8);
      else if (type === wireTypes.bytes) this.#advance(this.#readLength());
      else if (type === wireTypes.fixed32) this.#advance(4);
      else if (type === wireTypes.startGroup) openCount += 1;
      else if (type === wireTypes.endGroup) openCount -= 1;
      else throw new MalformedProtobuf(`proto: illegal wireType ${type}`);
      if (openCount < 0) throw new MalformedProtobuf("proto: unexpected end of group");
      if (openCount === 0) return;
      this.#readVarint();
      type = this.#low & 7;
    }
  }

  #readLength(): number {
    this.#readVarint();
    const length = (this.#high | 0) * 2 ** 32 + this.#low;
    if (length < 0) throw new MalformedProtobuf("proto: negative length found during unmarshaling");
    return length;
  }

  /** Advances, and returns the previous position. */
  #advance(byteCount: number): number {
    const start = this.#at;
    if (byteCount > this.#end - start) throw new MalformedProtobuf("unexpected EOF");
    this.#at = start + byteCount;
    return start;
  }

  /** At most 10 bytes of 7 bits each, lowest first. */
  #readVarint(): void {
    this.#low = 0;
    this.#high = 0;
    for (let shift = 0; ; shift += 7) {
      if (shift >= 64) throw new MalformedProtobuf("proto: integer overflow");
      if (this.#at >= this.#end) throw new MalformedProtobuf("unexpected EOF");
      const byte = this.#bytes[this.#at] ?? 0;
      this.#at += 1;
      const bits = byte & 0x7f;
      if (shift < 28) this.#low |= bits << shift;
      else if (shift === 28) {
        this.#low |= bits << 28;
        this.#high = bits >>> 4;
      } else this.#high |= bits << (shift - 32);
      if (byte < 0x80) break;
    }
    this.#low >>>= 0;
    this.#high >>>= 0;
  }
}
