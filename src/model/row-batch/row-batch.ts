// SPDX-License-Identifier: Apache-2.0
import type { ResourceId } from "../gvr.ts";
import { type ColumnValue, type Row, type RowDelete, type RowHash, toRowHash } from "../rows/row.ts";
import { statuses } from "../status.ts";
import { type BatchColumn, columnValueAt } from "./column.ts";
import { GroupValues } from "./group-table.ts";
import { ownerAt } from "./owner-table.ts";
import type { RowBatchParts } from "./row-batch-parts.ts";
import type { RowColumns } from "./row-columns.ts";
import { tokenAt } from "./token-column.ts";
import { uidAt } from "./uid-column.ts";

/**
 * The rows and deletes of one batch, in columns. Typed arrays are available at once; texts, maps and rows become
 * JavaScript values on demand, and equal texts and maps are shared. Borrows the bytes it was decoded from (CO34).
 */
export class RowBatch {
  readonly parts: RowBatchParts;
  readonly #maps: GroupValues;
  readonly #lists: GroupValues;

  constructor(parts: RowBatchParts) {
    this.parts = parts;
    this.#maps = new GroupValues(parts.maps, parts.strings);
    this.#lists = new GroupValues(parts.lists, parts.strings);
  }

  get resource(): ResourceId {
    return this.parts.resource;
  }

  get kind(): string {
    return this.parts.kind;
  }

  get rowCount(): number {
    return this.parts.fields.count;
  }

  get deleteCount(): number {
    return this.parts.deletes.nameIds.length;
  }

  /** The column of this name; undefined if the batch has none. */
  getColumn(name: string): BatchColumn | undefined {
    return this.parts.columns.find((column) => column.name === name);
  }

  /** The hash of the row at a place. */
  rowHash(at: number): RowHash {
    return toRowHash(this.parts.fields.hashes.getBigUint64(at * 8, true));
  }

  /** The row at a place, as a value. */
  row(at: number): Row {
    const { fields, strings, owners } = this.parts;
    const deletedAt = fields.deletedAts[at] ?? Number.NaN;
    const owner = ownerAt(owners, fields.ownerIds[at] ?? 0, strings);
    return {
      namespace: strings.get(fields.namespaceIds[at] ?? 0),
      name: strings.get(fields.nameIds[at] ?? 0),
      uid: uidAt(fields.uids, at, strings),
      resourceVersion: tokenAt(fields.resourceVersions, at, strings),
      generation: fields.generations[at] ?? 0,
      createdAt: fields.createdAts[at] ?? 0,
      ...(Number.isNaN(deletedAt) ? {} : { deletedAt }),
      status: statuses[fields.statuses[at] ?? 0] ?? "unknown",
      reason: strings.get(fields.reasonIds[at] ?? 0),
      message: strings.get(fields.messageIds[at] ?? 0),
      labels: this.#maps.map(fields.labelsIds[at] ?? 0),
      annotations: this.#maps.map(fields.annotationsIds[at] ?? 0),
      ...(owner === undefined ? {} : { owner }),
      columns: this.#columnsOf(at),
      rowHash: this.rowHash(at),
    };
  }

  #columnsOf(at: number): ReadonlyMap<string, ColumnValue> {
    const values = new Map<string, ColumnValue>();
    for (const column of this.parts.columns) {
      const value = columnValueAt(column, at, this.parts.strings, this.#lists);
      if (value !== undefined) values.set(column.name, value);
    }
    return values;
  }

  /** The rows as values, in key order, each built on demand. */
  *rows(): Generator<Row, void, undefined> {
    for (let at = 0; at < this.rowCount; at += 1) yield this.row(at);
  }

  /** The deletes as values, in key order. */
  *deletes(): Generator<RowDelete, void, undefined> {
    const { deletes, strings } = this.parts;
    for (let at = 0; at < this.deleteCount; at += 1)
      yield {
        namespace: strings.get(deletes.namespaceIds[at] ?? 0),
        name: strings.get(deletes.nameIds[at] ?? 0),
        uid: uidAt(deletes.uids, at, strings),
      };
  }

  /**
   * Appends the rows to columns that outlive the batch, without a JavaScript value per row (CO35). Deletes are not
   * appended.
   */
  appendTo(columns: RowColumns): void {
    columns.append(this.parts);
  }
}
