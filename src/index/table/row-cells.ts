// SPDX-License-Identifier: Apache-2.0
import { type RowHash, toRowHash } from "../../model/rows/row.ts";
import type { AddedRows, IdKind } from "./added-rows.ts";
import { IdColumn } from "./id-column.ts";
import { KindColumns } from "./kind-columns.ts";
import { NumberColumn } from "./number-column.ts";
import { TableColumn } from "./table-column.ts";
import { TokenCells } from "./token-cells.ts";
import { UidCells } from "./uid-cells.ts";
import type { WrittenRows } from "./written-rows.ts";

/** The operations that all columns of a table have. */
export type ColumnStorage = Pick<
  TableColumn<Uint8Array<ArrayBuffer>>,
  "resize" | "ownInSteps" | "sharedBytes" | "sizeBytes" | "move" | "release" | "rowBytes" | "mostBytes"
>;

/** The values of a table's rows besides their keys, in columns. */
export class RowCells {
  /** Ranks. */
  readonly statuses: IdColumn;
  readonly reasons: IdColumn;
  readonly messages: IdColumn;
  readonly labels: IdColumn;
  readonly annotations: IdColumn;
  readonly owners: IdColumn;
  /** Milliseconds. An object without a creation time has no number. */
  readonly createdAts: NumberColumn;
  readonly deletedAts: NumberColumn;
  readonly generations: NumberColumn;
  readonly hashLows: TableColumn<Uint32Array<ArrayBuffer>>;
  readonly hashHighs: TableColumn<Uint32Array<ArrayBuffer>>;
  readonly uids: UidCells;
  readonly tokens: TokenCells;
  readonly own: KindColumns;
  #fixedIds: readonly IdColumn[] | undefined;
  #all: readonly ColumnStorage[] | undefined;
  #ownStorage: unknown;

  /** A copy that shares the arrays of another one, or without rows. */
  constructor(of?: RowCells) {
    this.statuses = of?.statuses.share() ?? new IdColumn(0);
    this.reasons = of?.reasons.share() ?? new IdColumn(0);
    this.messages = of?.messages.share() ?? new IdColumn(0);
    this.labels = of?.labels.share() ?? new IdColumn(0);
    this.annotations = of?.annotations.share() ?? new IdColumn(0);
    this.owners = of?.owners.share() ?? new IdColumn(0);
    this.createdAts = of?.createdAts.share() ?? new NumberColumn(0);
    this.deletedAts = of?.deletedAts.share() ?? new NumberColumn(0);
    this.generations = of?.generations.share() ?? new NumberColumn(0);
    this.hashLows = of?.hashLows.share() ?? new TableColumn(new Uint32Array(0));
    this.hashHighs = of?.hashHighs.share() ?? new TableColumn(new Uint32Array(0));
    this.uids = of?.uids.share() ?? new UidCells();
    this.tokens = of?.tokens.share() ?? new TokenCells();
    this.own = of?.own.share() ?? new KindColumns();
  }

  rowHash(row: number): RowHash {
    return toRowHash((BigInt(this.hashHighs.values[row] ?? 0) << 32n) | BigInt(this.hashLows.values[row] ?? 0));
  }

  /** The columns of ids that every row has, and the rare ones. */
  get #ids(): readonly IdColumn[] {
    this.#fixedIds ??= [
      this.statuses,
      this.reasons,
      this.messages,
      this.labels,
      this.annotations,
      this.owners,
      this.uids.texts,
      this.tokens.texts,
    ];
    return this.#fixedIds;
  }

  /** All columns. */
  all(): readonly ColumnStorage[] {
    const own = this.own.storage();
    if (this.#all === undefined || this.#ownStorage !== own) {
      this.#ownStorage = own;
      this.#all = [
        ...this.#ids,
        this.createdAts,
        this.deletedAts,
        this.generations,
        this.tokens.numbers,
        this.hashLows,
        this.hashHighs,
        this.uids.uuids,
        ...own,
      ];
    }
    return this.#all;
  }

  /** Writes the fields and columns of a step, except the hashes. The columns have room for `capacity` rows. */
  write(written: WrittenRows, capacity: number): void {
    const { fields } = written.mapping.parts;
    const { rows, count, firstNew } = written;
    const writeIds = (column: IdColumn, ids: Uint32Array): void => column.write(rows, ids, count, firstNew);
    const writeNumbers = (column: NumberColumn, numbers: Float64Array): void =>
      column.write(rows, numbers, count, firstNew);
    writeIds(this.statuses, written.bytes(fields.statuses));
    writeIds(this.reasons, written.searchedTexts(fields.reasonIds));
    writeIds(this.messages, written.searchedTexts(fields.messageIds));
    writeIds(this.labels, written.maps(fields.labelsIds));
    writeIds(this.annotations, written.maps(fields.annotationsIds));
    writeIds(this.owners, written.owners(fields.ownerIds));
    const createdAts = written.numbers(fields.createdAts);
    for (let at = 0; at < count; at += 1) if (createdAts[at] === 0) createdAts[at] = Number.NaN;
    writeNumbers(this.createdAts, createdAts);
    writeNumbers(this.deletedAts, written.numbers(fields.deletedAts));
    writeNumbers(this.generations, written.numbers(fields.generations));
    this.uids.write(written, capacity);
    this.tokens.write(written, capacity);
    this.own.write(written, capacity);
  }

  /** Writes the values that added rows have in another table. The columns have room for `capacity` rows. */
  append(added: AddedRows, of: RowCells, capacity: number): void {
    const { sources, rows, count, firstNew } = added;
    const writeIds = (column: IdColumn, source: IdColumn, kind: IdKind | undefined): void =>
      column.write(rows, added.ids(kind, source), count, firstNew);
    writeIds(this.statuses, of.statuses, undefined);
    writeIds(this.reasons, of.reasons, "texts");
    writeIds(this.messages, of.messages, "texts");
    writeIds(this.labels, of.labels, "maps");
    writeIds(this.annotations, of.annotations, "maps");
    writeIds(this.owners, of.owners, "owners");
    for (const name of ["createdAts", "deletedAts", "generations"] as const)
      this[name].write(rows, added.numbers(of[name]), count, firstNew);
    this.tokens.numbers.write(rows, added.numbers(of.tokens.numbers), count, firstNew);
    this.tokens.texts.writeRare(added, added.ids("optionalTexts", of.tokens.texts), capacity);
    this.uids.texts.writeRare(added, added.ids("optionalTexts", of.uids.texts), capacity);
    for (const name of ["hashLows", "hashHighs"] as const) copyValues(this[name], of[name], sources, firstNew);
    copyValues(this.uids.uuids, of.uids.uuids, sources, firstNew);
    this.own.append(added, of.own, capacity);
  }

  setHash(row: number, low: number, high: number): void {
    this.hashLows.own();
    this.hashHighs.own();
    this.hashLows.values[row] = low;
    this.hashHighs.values[row] = high;
  }

  /** Removes rows that go: their elements become meaningless. */
  release(rows: Uint32Array): void {
    for (const column of this.all()) for (const row of rows) column.release(row);
  }

  /** The number of values that rows lost since the last call. */
  takeReplaced(): number {
    let count = 0;
    for (const column of this.#ids) count += column.takeReplaced();
    for (const column of this.own.storage()) count += column.takeReplaced();
    return count;
  }
}

/** Copies rows of one column to the end of another. */
function copyValues<Values extends Uint8Array<ArrayBuffer> | Uint32Array<ArrayBuffer>>(
  to: TableColumn<Values>,
  from: TableColumn<Values>,
  sources: Uint32Array,
  first: number,
): void {
  to.own();
  const { width } = to;
  for (const [at, source] of sources.entries())
    for (let part = 0; part < width; part += 1)
      to.values[(first + at) * width + part] = from.values[source * width + part] ?? 0;
}
