// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";
import { type TableSink } from "../../index/table/apply-part.ts";
import { KindTable } from "../../index/table/kind-table.ts";
import { readRow, readValue } from "../../index/table/read-row.ts";
import type { TableState } from "../../index/table/table-state.ts";
import { parseResourceId } from "../../model/gvr.ts";
import { decodeRowBatch } from "../../model/row-batch/decode.ts";
import { encodeRowBatch } from "../../model/row-batch/encode.ts";
import { maxColumnCount } from "../../model/row-batch/format.ts";
import type { RowBatch } from "../../model/row-batch/row-batch.ts";
import type { RowBatchParts } from "../../model/row-batch/row-batch-parts.ts";
import type { Hasher } from "../../model/rows/hasher.ts";
import type { ColumnSpec, ColumnType, Row } from "../../model/rows/row.ts";
import { rowChars } from "../rows/bounded-groups.ts";

/** The most deleted objects of one kind of a cluster that are collected. Their memory counts towards that of past rows. */
export const maxDeletedRows = 50_000;

/** An estimate of the memory of a row besides its texts. */
const rowBytes = 1_024;

/** Rows of one batch. At the limit of a row's size a batch is half of the largest (CO24). */
const batchRowCount = 512;

/** When an object was deleted. Another object may have its key now. */
export interface Deletion {
  readonly uid: string;
  readonly removedAtMs: number;
}

/** By the key of the object. */
export type Deletions = ReadonlyMap<string, Deletion>;

interface DeletedRow {
  readonly row: Row;
  readonly columns: readonly ColumnSpec[];
  readonly removedAtMs: number;
}

/** The key of an object within its kind. A namespace has no slash. */
export function deletedKey(namespace: string, name: string): string {
  return `${namespace}/${name}`;
}

/**
 * Collects the objects of one kind that parts delete, as they were. An object that is created again under the same key
 * is not a deleted one.
 */
export class DeletedRows implements TableSink {
  readonly #rows = new Map<string, DeletedRow>();
  readonly #isVisible: (namespace: string, name: string) => boolean;
  #textBytes = 0;
  /** The receive time of the part that is being applied. */
  receivedAtMs = 0;

  /** Only visible objects are collected: nothing about the others is counted or reported (L17). */
  constructor(isVisible: (namespace: string, name: string) => boolean) {
    this.#isVisible = isVisible;
  }

  get count(): number {
    return this.#rows.size;
  }

  /** An estimate of the memory. */
  get sizeBytes(): number {
    return this.#rows.size * rowBytes + this.#textBytes;
  }

  added({ strings, fields }: RowBatchParts, place: number): void {
    if (this.#rows.size === 0) return;
    const namespace = strings.get(fields.namespaceIds[place] ?? 0);
    this.#remove(deletedKey(namespace, strings.get(fields.nameIds[place] ?? 0)));
  }

  changed(): void {
    // The object still exists.
  }

  /** Throws TOO_LARGE above the limit. */
  removed(state: TableState, row: number): void {
    const table = new KindTable(state.cluster, state);
    const value = readRow(table, row);
    if (!this.#isVisible(value.namespace, value.name)) return;
    if (this.#rows.size >= maxDeletedRows)
      throw new FlotillaError(
        "TOO_LARGE",
        `more than ${maxDeletedRows} objects of one kind were deleted in a cluster; ask for a shorter time, or narrow the query by cluster or kind`,
      );
    const columns = table.columns().flatMap((column) => {
      const { name, type } = column;
      return readValue(state.cluster, column, row) === undefined ? [] : [{ name, type }];
    });
    const key = deletedKey(value.namespace, value.name);
    this.#remove(key);
    this.#rows.set(key, { row: value, columns, removedAtMs: this.receivedAtMs });
    this.#textBytes += textBytesOf(value);
  }

  /** When each object was deleted, by its key. */
  deletions(): Deletions {
    return new Map(Array.from(this.#rows, ([key, { row, removedAtMs }]) => [key, { uid: row.uid, removedAtMs }]));
  }

  /** The rows as batches, which a table can fold. */
  *batches(resource: string, kind: string, hasher: Hasher): Generator<RowBatch, void, undefined> {
    for (const { rows, columns } of inGroups(this.#rows.values())) {
      const content = { resource: parseResourceId(resource), kind, columns, rows, deletes: [] };
      yield decodeRowBatch(encodeRowBatch(content, hasher), hasher);
    }
  }

  #remove(key: string): void {
    const known = this.#rows.get(key);
    if (known === undefined) return;
    this.#rows.delete(key);
    this.#textBytes -= textBytesOf(known.row);
  }
}

/** A character takes up to two bytes. */
function textBytesOf(row: Row): number {
  return rowChars(row) * 2;
}

interface RowGroup {
  readonly rows: readonly Row[];
  readonly columns: readonly ColumnSpec[];
}

/** Groups that one batch each can hold: a column has one type there. */
function* inGroups(deleted: Iterable<DeletedRow>): Generator<RowGroup, void, undefined> {
  let types = new Map<string, ColumnType>();
  let rows: Row[] = [];
  const close = (): RowGroup => {
    const group = { rows, columns: Array.from(types, ([name, type]) => ({ name, type })) };
    types = new Map();
    rows = [];
    return group;
  };
  for (const { row, columns } of deleted) {
    const isOther = columns.some(({ name, type }) => (types.get(name) ?? type) !== type);
    const joinedCount = types.size + columns.filter(({ name }) => !types.has(name)).length;
    if (rows.length > 0 && (isOther || joinedCount > maxColumnCount || rows.length === batchRowCount)) yield close();
    for (const { name, type } of columns) types.set(name, type);
    rows.push(row);
  }
  if (rows.length > 0) yield close();
}
