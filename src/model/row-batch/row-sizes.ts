// SPDX-License-Identifier: Apache-2.0
// The sizes of a batch's rows with all their texts, as CO24 counts them. Each map, list and owner is measured once for
// all its rows: a batch of few bytes can refer to one long text many times.
import { unreachable } from "../../base/assert.ts";
import { uuidTextBytes } from "../rows/uuid.ts";
import type { ByteReader } from "./byte-reader.ts";
import type { BatchColumn } from "./column.ts";
import { absentBoolean, absentId } from "./format.ts";
import type { GroupTable } from "./group-table.ts";
import type { OwnerTable } from "./owner-table.ts";
import type { RowBatchParts } from "./row-batch-parts.ts";
import type { UidColumn } from "./uid-column.ts";

/** The measured parts of a batch. */
export type MeasuredParts = Pick<RowBatchParts, "strings" | "maps" | "lists" | "owners" | "fields" | "columns">;

/** The bytes of a double, and of a number, flag or type before a value, in the layout of CO41. */
const [doubleBytes, markBytes] = [8, 1];

/** generation and createdAt, the flags of deletedAt and owner, and the status. */
const fixedBytes = 2 * doubleBytes + 3 * markBytes;

function varintBytes(value: number): number {
  let count = 1;
  for (let rest = Math.floor(value / 0x80); rest > 0; rest = Math.floor(rest / 0x80)) count += 1;
  return count;
}

/** The bytes of a text with its length. */
function textSize(offsets: Uint32Array, id: number): number {
  const byteCount = (offsets[id + 1] ?? 0) - (offsets[id] ?? 0);
  return byteCount + (byteCount < 0x80 ? 1 : varintBytes(byteCount));
}

/**
 * The bytes of each map or list with its count. Doubles, because a list may repeat one long text any number of times.
 */
function sizeGroups(reader: ByteReader, { offsets, ids, keyIds }: GroupTable, texts: Uint32Array): Float64Array {
  const sizes = reader.newFloat64Array(offsets.length - 1);
  for (let id = 0; id < sizes.length; id += 1) {
    const [from, end] = [offsets[id] ?? 0, offsets[id + 1] ?? 0];
    let sum = varintBytes(end - from);
    for (let at = from; at < end; at += 1) sum += textSize(texts, ids[at] ?? 0);
    if (keyIds.length > 0) for (let at = from; at < end; at += 1) sum += textSize(texts, keyIds[at] ?? 0);
    sizes[id] = sum;
  }
  return sizes;
}

function uidSize(uids: UidColumn, at: number, texts: Uint32Array): number {
  return uids.form === "uuid" ? uuidTextBytes + 1 : textSize(texts, uids.ids[at] ?? 0);
}

function sizeOwners(reader: ByteReader, owners: OwnerTable, texts: Uint32Array): Float64Array {
  const { groupIds, kindIds, nameIds, uids } = owners;
  const sizes = reader.newFloat64Array(nameIds.length + 1);
  for (let at = 0; at < nameIds.length; at += 1)
    sizes[at + 1] =
      textSize(texts, groupIds[at] ?? 0) +
      textSize(texts, kindIds[at] ?? 0) +
      textSize(texts, nameIds[at] ?? 0) +
      uidSize(uids, at, texts);
  return sizes;
}

/** A column, and the bytes of each value's head: the column's name and the number of its type. */
interface MeasuredColumn {
  readonly column: BatchColumn;
  readonly headBytes: number;
}

const encoder = new TextEncoder();

/**
 * The bytes of the rows of one batch, counted as for their hashes, without version, cluster, group and resource (CO24,
 * CO41). The reader counts its allocations (CO31).
 */
export class RowSizes {
  readonly #parts: MeasuredParts;
  /** The offsets of the texts. */
  readonly #texts: Uint32Array;
  readonly #maps: Float64Array;
  readonly #lists: Float64Array;
  readonly #owners: Float64Array;
  readonly #columns: readonly MeasuredColumn[];
  readonly #baseBytes: number;

  constructor(reader: ByteReader, parts: MeasuredParts) {
    const texts = parts.strings.offsets;
    this.#parts = parts;
    this.#texts = texts;
    this.#maps = sizeGroups(reader, parts.maps, texts);
    this.#lists = sizeGroups(reader, parts.lists, texts);
    this.#owners = sizeOwners(reader, parts.owners, texts);
    this.#columns = parts.columns.map((column) => {
      const byteCount = encoder.encode(column.name).length;
      return { column, headBytes: byteCount + varintBytes(byteCount) + markBytes };
    });
    this.#baseBytes = fixedBytes + varintBytes(parts.columns.length);
  }

  /**
   * Writes the sizes of the rows from `from` on into `out`, one per element. The caller measures some rows at a time,
   * so that no array is as long as the batch.
   */
  measure(from: number, out: Float64Array): void {
    const { fields } = this.#parts;
    const [texts, maps, owners, base] = [this.#texts, this.#maps, this.#owners, this.#baseBytes];
    const { namespaceIds, nameIds, uids, reasonIds, messageIds, labelsIds, annotationsIds, ownerIds } = fields;
    for (let slot = 0; slot < out.length; slot += 1) {
      const at = from + slot;
      out[slot] =
        base +
        textSize(texts, namespaceIds[at] ?? 0) +
        textSize(texts, nameIds[at] ?? 0) +
        uidSize(uids, at, texts) +
        (Number.isNaN(fields.deletedAts[at] ?? 0) ? 0 : doubleBytes) +
        textSize(texts, reasonIds[at] ?? 0) +
        textSize(texts, messageIds[at] ?? 0) +
        (maps[labelsIds[at] ?? 0] ?? 0) +
        (maps[annotationsIds[at] ?? 0] ?? 0) +
        (owners[ownerIds[at] ?? 0] ?? 0);
    }
    for (const measured of this.#columns) this.#addColumn(from, out, measured);
  }

  #addColumn(from: number, out: Float64Array, { column, headBytes }: MeasuredColumn): void {
    const [texts, lists] = [this.#texts, this.#lists];
    switch (column.type) {
      case "string":
        for (let slot = 0; slot < out.length; slot += 1) {
          const id = column.values[from + slot] ?? absentId;
          if (id !== absentId) out[slot] = (out[slot] ?? 0) + headBytes + textSize(texts, id);
        }
        return;
      case "stringList":
        for (let slot = 0; slot < out.length; slot += 1) {
          const id = column.values[from + slot] ?? absentId;
          if (id !== absentId) out[slot] = (out[slot] ?? 0) + headBytes + (lists[id] ?? 0);
        }
        return;
      case "boolean":
        for (let slot = 0; slot < out.length; slot += 1)
          if (column.values[from + slot] !== absentBoolean) out[slot] = (out[slot] ?? 0) + headBytes + markBytes;
        return;
      case "integer":
      case "float":
        for (let slot = 0; slot < out.length; slot += 1)
          if (!Number.isNaN(column.values[from + slot] ?? 0)) out[slot] = (out[slot] ?? 0) + headBytes + doubleBytes;
        return;
      default:
        unreachable(column, "column");
    }
  }
}
