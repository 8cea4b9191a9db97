// SPDX-License-Identifier: Apache-2.0
import { unreachable } from "../../base/assert.ts";
import type { ColumnType } from "../rows/row.ts";
import type { BatchColumn } from "./column.ts";
import { absentBoolean, absentId } from "./format.ts";
import { growingBytes, growingIds, growingNumbers } from "./growing-array.ts";
import type { RowBatchParts, RowFields } from "./row-batch-parts.ts";
import type { StringTable } from "./string-table.ts";
import {
  appendMapped,
  appendShifted,
  type Bytes,
  GroupColumns,
  type Ids,
  type Numbers,
  OwnerColumns,
  UidColumns,
} from "./table-columns.ts";

/** Holds the texts of appended batches. */
export interface StringArena {
  /**
   * Adds all texts of a table. Returns the arena's id for each of its ids; id 0, the empty text, stays 0. The result is
   * borrowed until the next call.
   */
  add(table: StringTable): Uint32Array;
}

/** A kind's column over all appended rows. Absent values are marked as in a batch. */
export type GrownColumn =
  | { readonly type: "string" | "stringList"; readonly values: Ids; readonly absent: number }
  | { readonly type: "integer" | "float"; readonly values: Numbers; readonly absent: number }
  | { readonly type: "boolean"; readonly values: Bytes; readonly absent: number };

function createColumn(type: ColumnType): GrownColumn {
  switch (type) {
    case "string":
    case "stringList":
      return { type, values: growingIds(), absent: absentId };
    case "integer":
    case "float":
      return { type, values: growingNumbers(), absent: Number.NaN };
    case "boolean":
      return { type, values: growingBytes(), absent: absentBoolean };
    default:
      return unreachable(type, "column type");
  }
}

/**
 * The rows of many batches in growing columns. Element `i` of every column is row `i`; rows stay in arrival order.
 * Texts, maps, lists and owners are renumbered across batches: texts by the arena, the others consecutively.
 */
export class RowColumns {
  readonly strings: StringArena;
  readonly maps = new GroupColumns();
  readonly lists = new GroupColumns();
  readonly owners = new OwnerColumns();
  readonly hashLows: Ids = growingIds();
  readonly hashHighs: Ids = growingIds();
  readonly namespaceIds: Ids = growingIds();
  readonly nameIds: Ids = growingIds();
  readonly uids = new UidColumns();
  /** The digits of decimal tokens. If `resourceVersionTexts` is not 0, the text of that id applies instead. */
  readonly resourceVersionNumbers: Numbers = growingNumbers();
  readonly resourceVersionTexts: Ids = growingIds();
  readonly generations: Numbers = growingNumbers();
  readonly createdAts: Numbers = growingNumbers();
  readonly deletedAts: Numbers = growingNumbers();
  readonly statuses: Bytes = growingBytes();
  readonly reasonIds: Ids = growingIds();
  readonly messageIds: Ids = growingIds();
  readonly labelsIds: Ids = growingIds();
  readonly annotationsIds: Ids = growingIds();
  readonly ownerIds: Ids = growingIds();
  readonly #columns = new Map<string, GrownColumn>();

  constructor(strings: StringArena) {
    this.strings = strings;
  }

  get rowCount(): number {
    return this.nameIds.length;
  }

  /** A kind's column; undefined if no batch had it with this type. */
  getColumn(name: string, type: ColumnType): GrownColumn | undefined {
    return this.#columns.get(`${type} ${name}`);
  }

  /** Appends the rows of a batch. Called by `RowBatch.appendTo`. */
  append(parts: RowBatchParts): void {
    const idOf = this.strings.add(parts.strings);
    const known = { maps: this.maps.count, lists: this.lists.count, owners: this.owners.nameIds.length };
    const rowCountBefore = this.rowCount;
    this.maps.append(parts.maps, idOf);
    this.lists.append(parts.lists, idOf);
    this.owners.append(parts.owners, idOf);
    this.#appendFields(parts.fields, idOf, known);
    for (const column of parts.columns) this.#appendColumn(column, { idOf, knownLists: known.lists, rowCountBefore });
    for (const column of this.#columns.values())
      column.values.fill(column.absent, this.rowCount - column.values.length);
  }

  #appendFields(fields: RowFields, idOf: Uint32Array, known: { readonly maps: number; readonly owners: number }): void {
    this.#appendHashes(fields);
    appendMapped(this.namespaceIds, fields.namespaceIds, idOf);
    appendMapped(this.nameIds, fields.nameIds, idOf);
    this.uids.append(fields.uids, fields.count, idOf);
    if (fields.resourceVersions.form === "decimal") {
      this.resourceVersionNumbers.append(fields.resourceVersions.numbers);
      this.resourceVersionTexts.fill(0, fields.count);
    } else {
      this.resourceVersionNumbers.fill(0, fields.count);
      appendMapped(this.resourceVersionTexts, fields.resourceVersions.ids, idOf);
    }
    this.generations.append(fields.generations);
    this.createdAts.append(fields.createdAts);
    this.deletedAts.append(fields.deletedAts);
    this.statuses.append(fields.statuses);
    appendMapped(this.reasonIds, fields.reasonIds, idOf);
    appendMapped(this.messageIds, fields.messageIds, idOf);
    appendShifted(this.labelsIds, fields.labelsIds, known.maps);
    appendShifted(this.annotationsIds, fields.annotationsIds, known.maps);
    appendShifted(this.ownerIds, fields.ownerIds, known.owners);
  }

  #appendHashes(fields: RowFields): void {
    const from = this.hashLows.extend(fields.count);
    this.hashHighs.extend(fields.count);
    const lows = this.hashLows.elements;
    const highs = this.hashHighs.elements;
    for (let at = 0; at < fields.count; at += 1) {
      lows[from + at] = fields.hashes.getUint32(at * 8, true);
      highs[from + at] = fields.hashes.getUint32(at * 8 + 4, true);
    }
  }

  #appendColumn(
    column: BatchColumn,
    at: { readonly idOf: Uint32Array; readonly knownLists: number; readonly rowCountBefore: number },
  ): void {
    const key = `${column.type} ${column.name}`;
    const grown = this.#columns.get(key) ?? createColumn(column.type);
    this.#columns.set(key, grown);
    grown.values.fill(grown.absent, at.rowCountBefore - grown.values.length);
    if (grown.type === "string" && column.type === "string") appendMapped(grown.values, column.values, at.idOf);
    else if (grown.type === "stringList" && column.type === "stringList")
      appendShifted(grown.values, column.values, at.knownLists);
    else grown.values.append(column.values);
  }
}
