// SPDX-License-Identifier: Apache-2.0
// How many bytes the rows of a batch take with all their texts, as CO24 counts them. Each text, map, list and owner is measured once, however many
// rows have it: a batch of few bytes can name one long text many times.
import { uuidTextBytes } from "../uuid.ts";
import type { ByteReader } from "./byte-reader.ts";
import type { BatchColumn } from "./column.ts";
import { absentBoolean, absentId } from "./format.ts";
import type { GroupTable } from "./group-table.ts";
import type { OwnerTable } from "./owner-table.ts";
import type { RowBatchParts } from "./row-batch-parts.ts";
import type { StringTable } from "./string-table.ts";
import type { UidColumn } from "./uid-column.ts";

/** What is measured of a batch. */
export type MeasuredParts = Pick<RowBatchParts, "strings" | "maps" | "lists" | "owners" | "fields" | "columns">;

/** Bytes of a double, and of the number, flag or type that stands before a value, in the layout of CO41. */
const [doubleBytes, markBytes] = [8, 1];

/** generation and createdAt, the flags of deletedAt and owner, and the status. */
const fixedBytes = 2 * doubleBytes + 3 * markBytes;

function varintBytes(value: number): number {
  let count = 1;
  for (let rest = Math.floor(value / 0x80); rest > 0; rest = Math.floor(rest / 0x80)) count += 1;
  return count;
}

/** Bytes of each text with its length before it. */
function sizeTexts(reader: ByteReader, { count, offsets }: StringTable): Float64Array {
  const sizes = reader.newFloat64Array(count);
  for (let id = 0; id < count; id += 1) {
    const byteCount = (offsets[id + 1] ?? 0) - (offsets[id] ?? 0);
    sizes[id] = byteCount + (byteCount < 0x80 ? 1 : varintBytes(byteCount));
  }
  return sizes;
}

/** Bytes of each map or list with its count before it. Doubles: a list may name one long text as often as it likes. */
function sizeGroups(reader: ByteReader, { offsets, ids, keyIds }: GroupTable, texts: Float64Array): Float64Array {
  const sizes = reader.newFloat64Array(offsets.length - 1);
  for (let id = 0; id < sizes.length; id += 1) {
    const [from, end] = [offsets[id] ?? 0, offsets[id + 1] ?? 0];
    let sum = varintBytes(end - from);
    for (let at = from; at < end; at += 1) sum += texts[ids[at] ?? 0] ?? 0;
    if (keyIds.length > 0) for (let at = from; at < end; at += 1) sum += texts[keyIds[at] ?? 0] ?? 0;
    sizes[id] = sum;
  }
  return sizes;
}

function uidBytes(uids: UidColumn, at: number, texts: Float64Array): number {
  return uids.form === "uuid" ? uuidTextBytes + 1 : (texts[uids.ids[at] ?? 0] ?? 0);
}

function sizeOwners(reader: ByteReader, owners: OwnerTable, texts: Float64Array): Float64Array {
  const { groupIds, kindIds, nameIds, uids } = owners;
  const sizes = reader.newFloat64Array(nameIds.length + 1);
  for (let at = 0; at < nameIds.length; at += 1)
    sizes[at + 1] =
      (texts[groupIds[at] ?? 0] ?? 0) +
      (texts[kindIds[at] ?? 0] ?? 0) +
      (texts[nameIds[at] ?? 0] ?? 0) +
      uidBytes(uids, at, texts);
  return sizes;
}

interface Sizes {
  readonly texts: Float64Array;
  readonly maps: Float64Array;
  readonly lists: Float64Array;
  readonly owners: Float64Array;
}

function measureTables(reader: ByteReader, { strings, maps, lists, owners }: MeasuredParts): Sizes {
  const texts = sizeTexts(reader, strings);
  return {
    texts,
    maps: sizeGroups(reader, maps, texts),
    lists: sizeGroups(reader, lists, texts),
    owners: sizeOwners(reader, owners, texts),
  };
}

/** Adds the sizes of the texts or lists that rows have. */
function addIds(total: Float64Array, ids: Uint32Array, sizes: Float64Array, headBytes: number): void {
  for (let at = 0; at < total.length; at += 1) {
    const id = ids[at] ?? absentId;
    if (id !== absentId) total[at] = (total[at] ?? 0) + headBytes + (sizes[id] ?? 0);
  }
}

/** Adds what a column's values take, each with the column's name and the number of its type. */
function addColumn(total: Float64Array, column: BatchColumn, nameBytes: number, { texts, lists }: Sizes): void {
  const headBytes = nameBytes + markBytes;
  if (column.type === "string") addIds(total, column.values, texts, headBytes);
  else if (column.type === "stringList") addIds(total, column.values, lists, headBytes);
  else if (column.type === "boolean") {
    for (let at = 0; at < total.length; at += 1)
      if (column.values[at] !== absentBoolean) total[at] = (total[at] ?? 0) + headBytes + markBytes;
  } else {
    for (let at = 0; at < total.length; at += 1)
      if (!Number.isNaN(column.values[at] ?? 0)) total[at] = (total[at] ?? 0) + headBytes + doubleBytes;
  }
}

const encoder = new TextEncoder();

/**
 * Bytes of each row, counted as its hash counts them, without version, cluster, group and resource (CO24, CO41). What it allocates is counted by the
 * reader (CO31).
 */
export function measureRows(reader: ByteReader, parts: MeasuredParts): Float64Array {
  const { fields, columns } = parts;
  const sizes = measureTables(reader, parts);
  const { texts, maps, owners } = sizes;
  const total = reader.newFloat64Array(fields.count);
  const { namespaceIds, nameIds, uids, reasonIds, messageIds, labelsIds, annotationsIds, ownerIds, deletedAts } =
    fields;
  const base = fixedBytes + varintBytes(columns.length);
  for (let at = 0; at < total.length; at += 1)
    total[at] =
      base +
      (texts[namespaceIds[at] ?? 0] ?? 0) +
      (texts[nameIds[at] ?? 0] ?? 0) +
      uidBytes(uids, at, texts) +
      (Number.isNaN(deletedAts[at] ?? 0) ? 0 : doubleBytes) +
      (texts[reasonIds[at] ?? 0] ?? 0) +
      (texts[messageIds[at] ?? 0] ?? 0) +
      (maps[labelsIds[at] ?? 0] ?? 0) +
      (maps[annotationsIds[at] ?? 0] ?? 0) +
      (owners[ownerIds[at] ?? 0] ?? 0);
  for (const column of columns) {
    const byteCount = encoder.encode(column.name).length;
    addColumn(total, column, byteCount + varintBytes(byteCount), sizes);
  }
  return total;
}
