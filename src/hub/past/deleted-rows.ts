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

/** The most deleted objects of one kind that are collected: some 100 MB of rows. */
export const maxDeletedRows = 50_000;

/** Rows of one batch. At the limit of a row's size a batch is half of the largest (CO24). */
const batchRowCount = 512;

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
  /** The receive time of the part that is being applied. */
  receivedAtMs = 0;

  get count(): number {
    return this.#rows.size;
  }

  added({ strings, fields }: RowBatchParts, place: number): void {
    if (this.#rows.size === 0) return;
    const namespace = strings.get(fields.namespaceIds[place] ?? 0);
    this.#rows.delete(deletedKey(namespace, strings.get(fields.nameIds[place] ?? 0)));
  }

  changed(): void {
    // The object still exists.
  }

  /** Throws TOO_LARGE above the limit. */
  removed(state: TableState, row: number): void {
    if (this.#rows.size >= maxDeletedRows)
      throw new FlotillaError(
        "TOO_LARGE",
        `more than ${maxDeletedRows} objects of one kind were deleted; ask for a shorter time, or narrow the query by cluster or kind`,
      );
    const table = new KindTable(state.cluster, state);
    const value = readRow(table, row);
    const columns = table.columns().flatMap((column) => {
      const { name, type } = column;
      return readValue(state.cluster, column, row) === undefined ? [] : [{ name, type }];
    });
    this.#rows.set(deletedKey(value.namespace, value.name), {
      row: value,
      columns,
      removedAtMs: this.receivedAtMs,
    });
  }

  /** When each object was deleted, by its key. */
  removedAt(): ReadonlyMap<string, number> {
    return new Map(Array.from(this.#rows, ([key, { removedAtMs }]) => [key, removedAtMs]));
  }

  /** The rows as batches, which a table can fold. */
  *batches(resource: string, kind: string, hasher: Hasher): Generator<RowBatch, void, undefined> {
    for (const { rows, columns } of inGroups(this.#rows.values())) {
      const content = { resource: parseResourceId(resource), kind, columns, rows, deletes: [] };
      yield decodeRowBatch(encodeRowBatch(content, hasher), hasher);
    }
  }
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
