// SPDX-License-Identifier: Apache-2.0
import { ByteWriter } from "../../model/rows/byte-writer.ts";
import type { RecordReader } from "../../model/rows/record-reader.ts";
import type { Row, RowHash } from "../../model/rows/row.ts";
import { RowBytesReader } from "../../model/rows/row-bytes.ts";

/** A stored row: key, content and resourceVersion in its record; uid and hash beside it. */
export interface RowRecord {
  /** Valid until the table is used again. */
  readonly record: Uint8Array;
  readonly uid: string;
  readonly rowHash: RowHash;
}

/** Initial capacity in bytes: some dozens of rows. */
const firstCapacityBytes = 16_384;

/**
 * Rows copied out of the table as bytes. They do not change while a flush is built from them, and are decoded one by
 * one. Decoded all at once they would take ten times as much memory, and live long enough to be expensive garbage.
 */
export class RowRecords implements Iterable<Row> {
  readonly #reader: RecordReader;
  readonly #writer = new ByteWriter(firstCapacityBytes);
  /** Start of each record. */
  readonly #places: number[] = [];
  readonly #uids: string[] = [];
  readonly #hashes: RowHash[] = [];

  /** The reader may be shared: it is used only within one step of the iteration. */
  constructor(reader: RecordReader) {
    this.#reader = reader;
  }

  /** Number of rows. */
  get length(): number {
    return this.#places.length;
  }

  /** Copies the record. */
  add({ record, uid, rowHash }: RowRecord): void {
    this.#places.push(this.#writer.length);
    this.#uids.push(uid);
    this.#hashes.push(rowHash);
    this.#writer.bytes(record);
  }

  /** The rows in key order, each decoded on demand. */
  *[Symbol.iterator](): Generator<Row, void, undefined> {
    const bytes = this.#writer.view();
    const reader = this.#reader;
    const rows = new RowBytesReader(reader, bytes);
    for (const at of this.#inKeyOrder(bytes)) {
      reader.open(bytes, this.#places[at]);
      const key = { namespace: reader.text(), name: reader.text() };
      const rowHash = this.#hashes[at];
      if (rowHash !== undefined) yield rows.read(reader.at, { ...key, uid: this.#uids[at] ?? "", rowHash });
    }
  }

  /** The indexes of the rows in key order. Rows of a list are in order already. */
  #inKeyOrder(bytes: Uint8Array): Iterable<number> {
    const compare = (one: number, other: number): number =>
      compareKeys(bytes, this.#places[one] ?? 0, this.#places[other] ?? 0);
    for (let at = 1; at < this.length; at += 1)
      if (compare(at - 1, at) > 0) return [...this.#places.keys()].sort(compare);
    return this.#places.keys();
  }
}

/**
 * Order of two keys in a batch (CO28): by the bytes of the namespace, then of the name. Each text is prefixed with its
 * length.
 */
function compareKeys(bytes: Uint8Array, one: number, other: number): number {
  const namespaces = compareTexts(bytes, one, other);
  return namespaces === 0 ? compareTexts(bytes, endOfText(bytes, one), endOfText(bytes, other)) : namespaces;
}

function compareTexts(bytes: Uint8Array, one: number, other: number): number {
  const [oneEnd, otherEnd] = [endOfText(bytes, one), endOfText(bytes, other)];
  let [at, place] = [beginOfText(bytes, one), beginOfText(bytes, other)];
  for (; at < oneEnd && place < otherEnd; at += 1, place += 1) {
    const difference = (bytes[at] ?? 0) - (bytes[place] ?? 0);
    if (difference !== 0) return difference;
  }
  return oneEnd - at - (otherEnd - place);
}

/** Skips the length, a varint with seven bits per byte. */
function beginOfText(bytes: Uint8Array, from: number): number {
  let at = from;
  while ((bytes[at] ?? 0) >= 0x80) at += 1;
  return at + 1;
}

function endOfText(bytes: Uint8Array, from: number): number {
  let [length, scale, at] = [0, 1, from];
  for (; (bytes[at] ?? 0) >= 0x80; at += 1, scale *= 0x80) length += ((bytes[at] ?? 0) & 0x7f) * scale;
  return at + 1 + length + (bytes[at] ?? 0) * scale;
}
