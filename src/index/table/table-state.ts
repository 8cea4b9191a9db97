// SPDX-License-Identifier: Apache-2.0
import type { Digest } from "../../model/rows/digest.ts";
import { statuses } from "../../model/status.ts";
import type { IdKind } from "./added-rows.ts";
import type { ClusterTexts } from "./cluster-texts.ts";
import { boundLength, grownLength } from "./growing-store.ts";
import { allocateIds, IdColumn } from "./id-column.ts";
import { KeyOrder, planRemoval } from "./key-order.ts";
import { type ColumnStorage, RowCells } from "./row-cells.ts";
import { RowIndex } from "./row-index.ts";
import { TroubleRows } from "./trouble-rows.ts";

/** Bytes copied in one step: some 3 ms with the page faults of fresh memory, the longest time a reader waits. */
const stepBytes = 2 * 1024 * 1024;

const twoTo32 = 2 ** 32;

/** What a table consists of. Rows are dense and in no order: a removed row's place is taken by the last one. */
export class TableState {
  readonly cluster: ClusterTexts;
  /** Numbers of namespaces. */
  readonly namespaces: IdColumn;
  /** Text ids. */
  readonly names: IdColumn;
  readonly index: RowIndex;
  readonly order: KeyOrder;
  readonly cells: RowCells;
  readonly troubles: TroubleRows;
  readonly statusCounts: Uint32Array;
  kind: string;
  count: number;
  /** Incremented by each change. */
  version: number;
  #sumLow: number;
  #sumHigh: number;
  /** Undefined after a change. */
  #sizeBytes: number | undefined;
  #all: readonly ColumnStorage[] | undefined;
  #cells: unknown;

  /** A copy that shares the arrays of another table, or an empty table. */
  constructor(cluster: ClusterTexts, of?: TableState) {
    this.cluster = cluster;
    this.namespaces = of?.namespaces.share() ?? new IdColumn(0);
    this.names = of?.names.share() ?? new IdColumn(0);
    this.index = of?.index.share() ?? new RowIndex();
    this.order = of?.order.share() ?? new KeyOrder();
    this.cells = new RowCells(of?.cells);
    this.troubles = of?.troubles.share() ?? new TroubleRows();
    this.statusCounts = of?.statusCounts.slice() ?? new Uint32Array(statuses.length);
    this.kind = of?.kind ?? "";
    this.count = of?.count ?? 0;
    this.version = of?.version ?? 0;
    this.#sumLow = of === undefined ? 0 : of.#sumLow;
    this.#sumHigh = of === undefined ? 0 : of.#sumHigh;
  }

  get digest(): Digest {
    return { rowCount: this.count, sum: (BigInt(this.#sumHigh) << 32n) | BigInt(this.#sumLow) };
  }

  get capacity(): number {
    return this.index.hashes.values.length;
  }

  get sizeBytes(): number {
    this.#sizeBytes ??= this.#columns().reduce((sum, { sizeBytes }) => sum + sizeBytes, this.index.slotBytes(0));
    return this.#sizeBytes;
  }

  /** Call it when rows or their memory change. */
  noteChange(): void {
    this.version += 1;
    this.cluster.noteRows();
    this.#sizeBytes = undefined;
  }

  /** The bytes that the next changes copy because a copy of the table uses them. */
  get sharedBytes(): number {
    return this.#columns().reduce((sum, { sharedBytes }) => sum + sharedBytes, 0);
  }

  /** An upper bound of the size with `moreCount` more rows of a batch with `newColumnCount` columns that are new. */
  boundBytes(moreCount: number, newColumnCount: number, idCount: number): number {
    if (moreCount === 0) return this.sizeBytes;
    const capacity = boundLength(this.capacity, this.count + moreCount);
    const idBytes = allocateIds(1, idCount).byteLength;
    let rowBytes = newColumnCount * 8 + 8;
    for (const column of this.#columns()) rowBytes += Math.max(column.rowBytes, column.mostBytes(idBytes));
    return rowBytes * capacity + this.index.slotBytes(this.count + moreCount);
  }

  /** Makes room for this many rows in all columns but those of rare values. */
  reserve(count: number): void {
    if (count <= this.capacity) return;
    this.#resize(grownLength(this.capacity, count));
  }

  /** Releases memory that was reserved for growth. */
  trim(): void {
    if (this.capacity > this.count) this.#resize(this.count);
  }

  /** Copies what is shared with another table, with room for `moreCount` more rows, in steps. */
  *ownInSteps(moreCount: number): Generator<void, void, undefined> {
    const capacity = Math.max(this.capacity, this.count + moreCount);
    this.#sizeBytes = undefined;
    let copied = 0;
    const copies = [this.index, ...this.#columns().filter((column) => column !== this.index.hashes)];
    for (const column of copies)
      for (const bytes of column.ownInSteps(capacity)) {
        copied += bytes;
        if (copied < stepBytes) continue;
        copied = 0;
        yield;
      }
  }

  /** The rows of a namespace in key order. */
  rowsIn(namespace: number): Uint32Array {
    const { texts } = this.cluster;
    const wanted = this.cluster.namespaceText(namespace);
    const compare = (row: number): number => {
      const other = this.namespaces.values[row] ?? 0;
      return other === namespace ? 0 : texts.compare(this.cluster.namespaceText(other), wanted);
    };
    const from = this.order.lowerBound(compare);
    const end = this.order.lowerBound((row) => (compare(row) <= 0 ? -1 : 1));
    return this.order.rows().subarray(from, end);
  }

  /** The columns of ids, by what the ids are. Columns of optional ids hold the id plus one, and 0 for none. */
  idColumns(): readonly (readonly [IdKind, IdColumn])[] {
    const { cells } = this;
    const own = cells.own.list().flatMap((column): (readonly [IdKind, IdColumn])[] => {
      if (column.type === "string") return [["optionalTexts", column.ids]];
      return column.type === "stringList" ? [["optionalLists", column.ids]] : [];
    });
    return [
      ["namespaces", this.namespaces],
      ["texts", this.names],
      ["texts", cells.reasons],
      ["texts", cells.messages],
      ["maps", cells.labels],
      ["maps", cells.annotations],
      ["owners", cells.owners],
      ["optionalTexts", cells.uids.texts],
      ["optionalTexts", cells.tokens.texts],
      ...own,
    ];
  }

  /** Appends a row with this key, which must not exist. There is room for it. */
  append(hash: number, namespace: number, name: number): number {
    const row = this.count;
    this.count += 1;
    this.namespaces.append(row, namespace);
    this.names.append(row, name);
    this.index.append(hash, this.count);
    return row;
  }

  /** Removes rows, given in ascending order. */
  remove(rows: Uint32Array): void {
    const removal = planRemoval(rows, this.count);
    this.order.remove(removal, this, this.cluster);
    this.cells.release(rows);
    for (const row of rows) {
      this.namespaces.release(row);
      this.names.release(row);
      this.index.remove(row);
      this.subtract(row);
      this.troubles.remove(row);
    }
    const { holes, movers } = removal;
    const columns = this.#columns().filter((column) => column !== this.index.hashes && column !== this.order.column);
    for (const [at, from] of movers.entries()) {
      const to = holes[at] ?? 0;
      this.index.move(from, to);
      this.troubles.move(from, to);
      for (const column of columns) column.move(from, to);
    }
    this.count -= rows.length;
    this.cluster.noteReplaced(rows.length + this.cells.takeReplaced());
  }

  /** Counts a row with its hash and status. */
  add(row: number, rank: number): void {
    const low = this.#sumLow + (this.cells.hashLows.values[row] ?? 0);
    const high = this.#sumHigh + (this.cells.hashHighs.values[row] ?? 0) + (low >= twoTo32 ? 1 : 0);
    this.#sumLow = low >= twoTo32 ? low - twoTo32 : low;
    this.#sumHigh = high >= twoTo32 ? high - twoTo32 : high;
    this.statusCounts[rank] = (this.statusCounts[rank] ?? 0) + 1;
  }

  /** The inverse of `add`, with the status that the row has. */
  subtract(row: number): void {
    const low = this.#sumLow - (this.cells.hashLows.values[row] ?? 0);
    const high = this.#sumHigh - (this.cells.hashHighs.values[row] ?? 0) - (low < 0 ? 1 : 0);
    this.#sumLow = low < 0 ? low + twoTo32 : low;
    this.#sumHigh = high < 0 ? high + twoTo32 : high;
    const rank = this.cells.statuses.values[row] ?? 0;
    this.statusCounts[rank] = (this.statusCounts[rank] ?? 0) - 1;
  }

  #resize(capacity: number): void {
    this.#sizeBytes = undefined;
    for (const column of this.#columns()) column.resize(capacity, this.count);
  }

  #columns(): readonly ColumnStorage[] {
    const cells = this.cells.all();
    if (this.#all === undefined || this.#cells !== cells) {
      this.#cells = cells;
      this.#all = [this.namespaces, this.names, this.index.hashes, this.order.column, ...cells];
    }
    return this.#all;
  }
}
