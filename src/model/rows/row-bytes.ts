// SPDX-License-Identifier: Apache-2.0
// The bytes of a row: hashed by the sealer (CO41), and kept by the agent's table. They have one writer and one reader,
// so that the kept bytes are the hashed bytes.

import { statuses, statusRank } from "../status.ts";
import type { ByteWriter } from "./byte-writer.ts";
import { toWellFormedMap, visitInKeyOrder } from "./canonical-map.ts";
import type { RecordReader } from "./record-reader.ts";
import { type ColumnValue, type Owner, type Row, type RowContent, type RowHash, toResourceVersion } from "./row.ts";

/** The types of column values, by their number in the bytes. */
const valueTypes = { text: 1, number: 2, boolean: 3, list: 4 } as const;

function writeNumber(writer: ByteWriter, value: number): void {
  writer.f64(value === 0 ? 0 : value); // -0 is 0
}

function writeTexts(writer: ByteWriter, map: ReadonlyMap<string, string>): void {
  const texts = toWellFormedMap(map);
  writer.varint(texts.size);
  visitInKeyOrder(texts, (value, key) => {
    writer.text(key);
    writer.text(value);
  });
}

function writeValue(writer: ByteWriter, value: ColumnValue): void {
  if (typeof value === "string") {
    writer.u8(valueTypes.text);
    writer.text(value);
  } else if (typeof value === "number") {
    writer.u8(valueTypes.number);
    writeNumber(writer, value);
  } else if (typeof value === "boolean") {
    writer.u8(valueTypes.boolean);
    writer.u8(value ? 1 : 0);
  } else {
    writer.u8(valueTypes.list);
    writer.varint(value.length);
    for (const element of value) writer.text(element);
  }
}

function readValue(reader: RecordReader): ColumnValue {
  const type = reader.u8();
  if (type === valueTypes.text) return reader.text();
  if (type === valueTypes.number) return reader.f64();
  if (type === valueTypes.boolean) return reader.u8() === 1;
  const list: string[] = [];
  for (let count = reader.varint(); count > 0; count -= 1) list.push(reader.text());
  return list;
}

function writeOwner(writer: ByteWriter, { group, kind, name, uid }: Owner): void {
  writer.text(group);
  writer.text(kind);
  writer.text(name);
  writer.text(uid);
}

/** Writes everything of a row that is hashed, except its key and uid. */
export function writeRowContent(writer: ByteWriter, row: RowContent): void {
  writeNumber(writer, row.generation);
  writeNumber(writer, row.createdAt);
  writer.u8(row.deletedAt === undefined ? 0 : 1);
  if (row.deletedAt !== undefined) writeNumber(writer, row.deletedAt);
  writer.u8(statusRank(row.status));
  writer.text(row.reason);
  writer.text(row.message);
  writeTexts(writer, row.labels);
  writeTexts(writer, row.annotations);
  writer.u8(row.owner === undefined ? 0 : 1);
  if (row.owner !== undefined) writeOwner(writer, row.owner);
  const columns = toWellFormedMap(row.columns);
  writer.varint(columns.size);
  visitInKeyOrder(columns, (value, name) => {
    writer.text(name);
    writeValue(writer, value);
  });
}

/** A part of one record and its value, shared with the next record if it has the same bytes. */
interface Part<Value> {
  readonly from: number;
  readonly to: number;
  readonly value: Value;
}

/**
 * Reads rows from one array of bytes. Labels, annotations and owners that equal those of the previous row are the same
 * objects.
 */
export class RowBytesReader {
  readonly #reader: RecordReader;
  readonly #bytes: Uint8Array;
  #labels: Part<ReadonlyMap<string, string>> | undefined;
  #annotations: Part<ReadonlyMap<string, string>> | undefined;
  #owner: Part<Owner> | undefined;

  constructor(reader: RecordReader, bytes: Uint8Array) {
    this.#reader = reader;
    this.#bytes = bytes;
  }

  /** The row whose content begins at `from`, followed by its resourceVersion. */
  read(from: number, identity: RowIdentity): Row {
    const reader = this.#reader;
    reader.open(this.#bytes, from);
    const generation = reader.f64();
    const createdAt = reader.f64();
    const deletedAt = reader.u8() === 0 ? undefined : reader.f64();
    const status = statuses[reader.u8()] ?? "unknown";
    const reason = reader.text();
    const message = reader.text();
    this.#labels = this.#readTexts(this.#labels);
    this.#annotations = this.#readTexts(this.#annotations);
    const owner = reader.u8() === 0 ? undefined : this.#readOwner();
    const columns = new Map<string, ColumnValue>();
    for (let count = reader.varint(); count > 0; count -= 1) columns.set(reader.text(), readValue(reader));
    return {
      namespace: identity.namespace,
      name: identity.name,
      uid: identity.uid,
      rowHash: identity.rowHash,
      resourceVersion: toResourceVersion(reader.text()),
      generation,
      createdAt,
      ...(deletedAt === undefined ? {} : { deletedAt }),
      status,
      reason,
      message,
      labels: this.#labels.value,
      annotations: this.#annotations.value,
      ...(owner === undefined ? {} : { owner }),
      columns,
    };
  }

  #readTexts(before: Part<ReadonlyMap<string, string>> | undefined): Part<ReadonlyMap<string, string>> {
    const reader = this.#reader;
    const from = reader.at;
    if (before !== undefined && reader.isRepeated(before.from, before.to)) {
      reader.open(this.#bytes, from + before.to - before.from);
      return before;
    }
    const value = new Map<string, string>();
    for (let count = reader.varint(); count > 0; count -= 1) value.set(reader.text(), reader.text());
    return { from, to: reader.at, value };
  }

  #readOwner(): Owner {
    const reader = this.#reader;
    const [from, before] = [reader.at, this.#owner];
    if (before !== undefined && reader.isRepeated(before.from, before.to)) {
      reader.open(this.#bytes, from + before.to - before.from);
      return before.value;
    }
    const value = { group: reader.text(), kind: reader.text(), name: reader.text(), uid: reader.text() };
    this.#owner = { from, to: reader.at, value };
    return value;
  }
}

/** A row's key, uid and hash, kept beside its content. */
export interface RowIdentity {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly rowHash: RowHash;
}
