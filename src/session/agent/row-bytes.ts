// SPDX-License-Identifier: Apache-2.0
// How the row table keeps a row: private to this process. Nothing of it travels or is stored, so it has no version. What rows have alike is
// repeated in each: the pages that hold them are packed, which costs a twentieth of the bytes and none of the tables that would name texts once.
import type { ByteWriter } from "../../model/byte-writer.ts";
import { canonicalEntries } from "../../model/canonical-map.ts";
import { type ColumnValue, type Owner, type Row, toResourceVersion } from "../../model/row.ts";
import { statuses, statusRank } from "../../model/status.ts";
import { isUuid, uuidByte, uuidBytes, uuidText } from "../../model/uuid.ts";
import type { RecordReader } from "./record-reader.ts";

/** Types of column values, by their number in the bytes. */
const valueTypes = { text: 0, number: 1, no: 2, yes: 3, list: 4 } as const;

/** Numbers below this fit a varint with their sign and their kind; larger ones and fractions are doubles. */
const maxVarintNumber = 2 ** 50;

function writeNumber(writer: ByteWriter, value: number): void {
  if (Number.isInteger(value) && Math.abs(value) < maxVarintNumber && !Object.is(value, -0))
    writer.varint((value >= 0 ? value * 2 : -value * 2 - 1) * 2);
  else {
    writer.varint(1);
    writer.f64(value);
  }
}

function readNumber(reader: RecordReader): number {
  const head = reader.varint();
  if (head === 1) return reader.f64();
  const folded = head / 2;
  return folded % 2 === 0 ? folded / 2 : -(folded + 1) / 2;
}

function writeUid(writer: ByteWriter, uid: string): void {
  const hasBytes = isUuid(uid);
  writer.u8(hasBytes ? 1 : 0);
  if (hasBytes) for (let at = 0; at < uuidBytes; at += 1) writer.u8(uuidByte(uid, at));
  else writer.text(uid);
}

function readUid(reader: RecordReader): string {
  return reader.u8() === 0 ? reader.text() : uuidText(reader.bytes(uuidBytes), 0);
}

function writeTexts(writer: ByteWriter, map: ReadonlyMap<string, string>): void {
  const entries = canonicalEntries(map);
  writer.varint(entries.length);
  for (const [key, value] of entries) {
    writer.text(key);
    writer.text(value);
  }
}

function readTexts(reader: RecordReader): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (let count = reader.varint(); count > 0; count -= 1) texts.set(reader.text(), reader.text());
  return texts;
}

function writeValue(writer: ByteWriter, value: ColumnValue): void {
  if (typeof value === "string") {
    writer.u8(valueTypes.text);
    writer.text(value);
  } else if (typeof value === "number") {
    writer.u8(valueTypes.number);
    writeNumber(writer, value);
  } else if (typeof value === "boolean") writer.u8(value ? valueTypes.yes : valueTypes.no);
  else {
    writer.u8(valueTypes.list);
    writer.varint(value.length);
    for (const element of value) writer.text(element);
  }
}

function readValue(reader: RecordReader): ColumnValue {
  const type = reader.u8();
  if (type === valueTypes.text) return reader.text();
  if (type === valueTypes.number) return readNumber(reader);
  if (type !== valueTypes.list) return type === valueTypes.yes;
  const list: string[] = [];
  for (let count = reader.varint(); count > 0; count -= 1) list.push(reader.text());
  return list;
}

function writeOwner(writer: ByteWriter, owner: Owner): void {
  writer.text(owner.group);
  writer.text(owner.kind);
  writer.text(owner.name);
  writeUid(writer, owner.uid);
}

function readOwner(reader: RecordReader): Owner {
  return { group: reader.text(), kind: reader.text(), name: reader.text(), uid: readUid(reader) };
}

/** Everything of a row but what finds it: its key, its uid and its hash. */
export function writeRowContent(writer: ByteWriter, row: Row): void {
  writer.text(row.resourceVersion);
  writeNumber(writer, row.generation);
  writeNumber(writer, row.createdAt);
  writer.u8((row.deletedAt === undefined ? 0 : 1) + (row.owner === undefined ? 0 : 2));
  if (row.deletedAt !== undefined) writeNumber(writer, row.deletedAt);
  writer.u8(statusRank(row.status));
  writer.text(row.reason);
  writer.text(row.message);
  writeTexts(writer, row.labels);
  writeTexts(writer, row.annotations);
  if (row.owner !== undefined) writeOwner(writer, row.owner);
  const columns = canonicalEntries(row.columns);
  writer.varint(columns.length);
  for (const [name, value] of columns) {
    writer.text(name);
    writeValue(writer, value);
  }
}

/** The row whose content is at the reader's place. */
export function readRowContent(
  reader: RecordReader,
  identity: Pick<Row, "namespace" | "name" | "uid" | "rowHash">,
): Row {
  const resourceVersion = toResourceVersion(reader.text());
  const generation = readNumber(reader);
  const createdAt = readNumber(reader);
  const present = reader.u8();
  const deletedAt = (present & 1) === 0 ? {} : { deletedAt: readNumber(reader) };
  const status = statuses[reader.u8()] ?? "unknown";
  const reason = reader.text();
  const message = reader.text();
  const labels = readTexts(reader);
  const annotations = readTexts(reader);
  const owner = (present & 2) === 0 ? {} : { owner: readOwner(reader) };
  const columns = new Map<string, ColumnValue>();
  for (let count = reader.varint(); count > 0; count -= 1) columns.set(reader.text(), readValue(reader));
  const base = { resourceVersion, generation, createdAt, status, reason, message, labels, annotations, columns };
  return { ...identity, ...base, ...deletedAt, ...owner };
}
