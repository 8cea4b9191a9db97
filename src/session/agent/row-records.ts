// SPDX-License-Identifier: Apache-2.0
import { ByteWriter } from "../../model/byte-writer.ts";
import type { RecordReader } from "../../model/record-reader.ts";
import type { Row, RowHash } from "../../model/row.ts";
import { compareNamed } from "../../model/row-batch/row-collector.ts";
import { RowBytesReader } from "../../model/row-bytes.ts";

/** A row of the table as it is kept: key, content and resourceVersion in its record, uid and hash beside it. */
export interface RowRecord {
  /** Lent until the table is used again. */
  readonly record: Uint8Array;
  readonly uid: string;
  readonly rowHash: RowHash;
}

interface Taken {
  readonly from: number;
  readonly uid: string;
  readonly rowHash: RowHash;
}

/**
 * Rows taken out of the table as bytes. They stay what they were while a flush is made of them, and become values one by one: as values all of them would
 * take ten times as much, and live for long enough to be garbage that is dear to find.
 */
export class RowRecords implements Iterable<Row> {
  readonly #reader: RecordReader;
  readonly #writer = new ByteWriter();
  readonly #taken: Taken[] = [];

  /** Read by a reader that others may share: it is used between two steps of the iteration only. */
  constructor(reader: RecordReader) {
    this.#reader = reader;
  }

  /** Rows. */
  get length(): number {
    return this.#taken.length;
  }

  /** Copies the record. */
  add({ record, uid, rowHash }: RowRecord): void {
    this.#taken.push({ from: this.#writer.length, uid, rowHash });
    this.#writer.bytes(record);
  }

  /** The rows in key order, each made when it is asked for. */
  *[Symbol.iterator](): Generator<Row, void, undefined> {
    const bytes = this.#writer.view();
    const reader = this.#reader;
    const keyed = this.#taken.map(({ from, uid, rowHash }) => {
      reader.open(bytes, from);
      return { namespace: reader.text(), name: reader.text(), uid, rowHash, contentFrom: reader.at };
    });
    // Those of a list lie in key order already.
    if (keyed.some((row, at) => at > 0 && compareNamed(keyed[at - 1] ?? row, row) > 0)) keyed.sort(compareNamed);
    const rows = new RowBytesReader(reader, bytes);
    for (const row of keyed) yield rows.read(row.contentFrom, row);
  }
}
