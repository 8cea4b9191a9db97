// SPDX-License-Identifier: Apache-2.0
// How the row table keeps a row: small, and private to this process. Nothing of it travels or is stored, so it has no version.
import type { ByteWriter } from "../../model/byte-writer.ts";
import { canonicalEntries } from "../../model/canonical-map.ts";
import { type ColumnValue, type Owner, type Row, type RowHash, toResourceVersion, toRowHash } from "../../model/row.ts";
import { statuses, statusRank } from "../../model/status.ts";
import { utf8ByteCount } from "../../model/text.ts";
import type { NameTable } from "./name-table.ts";
import type { RecordReader } from "./record-reader.ts";
import type { SharedTexts } from "./shared-texts.ts";

/** Where texts are that records name by a number. */
export interface TextTables {
  readonly names: NameTable;
  readonly shared: SharedTexts;
}

/** The same for reading: letting a record go is reading it with `release` in the place of `text`. */
interface TextSources {
  readonly names: Pick<NameTable, "text">;
  readonly shared: Pick<SharedTexts, "text">;
}

/** Types of column values, by their number in the bytes. */
const valueTypes = { text: 0, number: 1, no: 2, yes: 3, list: 4 } as const;

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

const hexOf = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** Numbers below this fit a varint with their sign and their kind; larger ones and fractions are doubles. */
const maxVarintNumber = 2 ** 50;

/** Writes texts by their number where a table has them, and counts the bytes that the record is spared. */
class TextWriter {
  readonly #writer: ByteWriter;
  readonly #tables: TextTables;
  /** Bytes of texts that are held elsewhere. */
  sharedBytes = 0;

  constructor(writer: ByteWriter, tables: TextTables) {
    this.#writer = writer;
    this.#tables = tables;
  }

  /** A text out of few: label keys, column names, reasons. */
  name(text: string): void {
    this.#put(this.#tables.names.number(text), text);
  }

  /** A text that other rows may have too. */
  value(text: string): void {
    const number = this.#tables.shared.use(text);
    if (number !== 0) this.sharedBytes += utf8ByteCount(text);
    this.#put(number, text);
  }

  #put(number: number, text: string): void {
    this.#writer.varint(number);
    if (number === 0) this.#writer.text(text);
  }
}

function readText(reader: RecordReader, table: { text(number: number): string }): string {
  const number = reader.varint();
  return number === 0 ? reader.text() : table.text(number);
}

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
  if (!uuidPattern.test(uid)) {
    writer.u8(0);
    writer.text(uid);
    return;
  }
  writer.u8(1);
  const hex = uid.replaceAll("-", "");
  for (let at = 0; at < 32; at += 2) writer.u8(Number.parseInt(hex.slice(at, at + 2), 16));
}

/** The uid at the reader's place; a record has one right behind its key if it has a row. */
export function readUid(reader: RecordReader): string {
  if (reader.u8() === 0) return reader.text();
  let hex = "";
  for (let at = 0; at < 16; at += 1) hex += hexOf[reader.u8()] ?? "";
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

function writeTexts(writer: ByteWriter, map: ReadonlyMap<string, string>, texts: TextWriter): void {
  const entries = canonicalEntries(map);
  writer.varint(entries.length);
  for (const [key, value] of entries) {
    texts.name(key);
    texts.value(value);
  }
}

function readTexts(reader: RecordReader, { names, shared }: TextSources): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (let count = reader.varint(); count > 0; count -= 1) texts.set(readText(reader, names), readText(reader, shared));
  return texts;
}

function writeValue(writer: ByteWriter, value: ColumnValue, texts: TextWriter): void {
  if (typeof value === "string") {
    writer.u8(valueTypes.text);
    texts.value(value);
  } else if (typeof value === "number") {
    writer.u8(valueTypes.number);
    writeNumber(writer, value);
  } else if (typeof value === "boolean") writer.u8(value ? valueTypes.yes : valueTypes.no);
  else {
    writer.u8(valueTypes.list);
    writer.varint(value.length);
    for (const element of value) texts.value(element);
  }
}

function readValue(reader: RecordReader, { shared }: TextSources): ColumnValue {
  const type = reader.u8();
  if (type === valueTypes.text) return readText(reader, shared);
  if (type === valueTypes.number) return readNumber(reader);
  if (type !== valueTypes.list) return type === valueTypes.yes;
  const list: string[] = [];
  for (let count = reader.varint(); count > 0; count -= 1) list.push(readText(reader, shared));
  return list;
}

function writeOwner(writer: ByteWriter, owner: Owner, texts: TextWriter): void {
  texts.name(owner.group);
  texts.name(owner.kind);
  texts.value(owner.name);
  writeUid(writer, owner.uid);
}

function readOwner(reader: RecordReader, { names, shared }: TextSources): Owner {
  return {
    group: readText(reader, names),
    kind: readText(reader, names),
    name: readText(reader, shared),
    uid: readUid(reader),
  };
}

/**
 * Everything of a row but its key and its hash. Each shared text is used once more, until `releaseRowContent`. Answers the bytes of
 * those, which the record is spared.
 */
export function writeRowContent(writer: ByteWriter, row: Row, tables: TextTables): number {
  const texts = new TextWriter(writer, tables);
  writeUid(writer, row.uid);
  writer.text(row.resourceVersion);
  writeNumber(writer, row.generation);
  writeNumber(writer, row.createdAt);
  writer.u8((row.deletedAt === undefined ? 0 : 1) + (row.owner === undefined ? 0 : 2));
  if (row.deletedAt !== undefined) writeNumber(writer, row.deletedAt);
  writer.u8(statusRank(row.status));
  texts.name(row.reason);
  writer.text(row.message);
  writeTexts(writer, row.labels, texts);
  writeTexts(writer, row.annotations, texts);
  if (row.owner !== undefined) writeOwner(writer, row.owner, texts);
  const columns = canonicalEntries(row.columns);
  writer.varint(columns.length);
  for (const [name, value] of columns) {
    texts.name(name);
    writeValue(writer, value, texts);
  }
  return texts.sharedBytes;
}

/** The row whose content is at the reader's place. */
export function readRowContent(
  reader: RecordReader,
  key: { readonly namespace: string; readonly name: string; readonly rowHash: RowHash },
  sources: TextSources,
): Row {
  const uid = readUid(reader);
  const resourceVersion = toResourceVersion(reader.text());
  const generation = readNumber(reader);
  const createdAt = readNumber(reader);
  const present = reader.u8();
  const deletedAt = (present & 1) === 0 ? {} : { deletedAt: readNumber(reader) };
  const status = statuses[reader.u8()] ?? "unknown";
  const reason = readText(reader, sources.names);
  const message = reader.text();
  const labels = readTexts(reader, sources);
  const annotations = readTexts(reader, sources);
  const owner = (present & 2) === 0 ? {} : { owner: readOwner(reader, sources) };
  const columns = new Map<string, ColumnValue>();
  for (let count = reader.varint(); count > 0; count -= 1)
    columns.set(readText(reader, sources.names), readValue(reader, sources));
  const base = { uid, resourceVersion, generation, createdAt, status, reason, message, labels, annotations, columns };
  return { ...key, ...base, ...deletedAt, ...owner };
}

const noKey = { namespace: "", name: "", rowHash: toRowHash(0n) };

/** The row whose content is at the reader's place goes: its shared texts are used once less. */
export function releaseRowContent(reader: RecordReader, { names, shared }: TextTables): void {
  readRowContent(reader, noKey, { names, shared: { text: (number) => shared.release(number) } });
}
