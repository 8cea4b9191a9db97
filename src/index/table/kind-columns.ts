// SPDX-License-Identifier: Apache-2.0
import type { BatchColumn } from "../../model/row-batch/column.ts";
import type { ColumnType } from "../../model/rows/row.ts";
import type { AddedRows } from "./added-rows.ts";
import { IdColumn } from "./id-column.ts";
import { NumberColumn } from "./number-column.ts";
import type { WrittenRows } from "./written-rows.ts";

/**
 * A kind's own column of texts, lists or booleans. Elements of `ids.values` are: the text id or list number plus one; 1
 * for false and 2 for true; 0 for absent.
 */
export class KindIdColumn {
  readonly name: string;
  readonly type: "string" | "stringList" | "boolean";
  readonly ids: IdColumn;

  constructor(name: string, type: KindIdColumn["type"], ids: IdColumn) {
    this.name = name;
    this.type = type;
    this.ids = ids;
  }

  /** The text id or list number, or 0 for false and 1 for true. -1 if the row has no value. */
  read(row: number): number {
    return (this.ids.values[row] ?? 0) - 1;
  }
}

/** A kind's own column of numbers. */
export class KindNumberColumn {
  readonly name: string;
  readonly type: "integer" | "float";
  readonly numbers: NumberColumn;

  constructor(name: string, type: KindNumberColumn["type"], numbers: NumberColumn) {
    this.name = name;
    this.type = type;
    this.numbers = numbers;
  }

  /** NaN if the row has no value. */
  read(row: number): number {
    return this.numbers.get(row);
  }
}

export type ColumnOfKind = KindIdColumn | KindNumberColumn;

/** What the ids of a column are; undefined for those that mean the same in every table. */
const idKinds = { string: "optionalTexts", stringList: "optionalLists", boolean: undefined } as const;

function createColumn(name: string, type: ColumnType, capacity: number): ColumnOfKind {
  return type === "integer" || type === "float"
    ? new KindNumberColumn(name, type, new NumberColumn(capacity))
    : new KindIdColumn(name, type, new IdColumn(capacity));
}

function storageOf(column: ColumnOfKind): IdColumn | NumberColumn {
  return column instanceof KindIdColumn ? column.ids : column.numbers;
}

/** The columns that rows of one kind have, by name and type. A column without a value in any row is dropped. */
export class KindColumns {
  readonly #columns = new Map<string, ColumnOfKind>();
  /** The same columns; undefined after one came or went. */
  #list: readonly ColumnOfKind[] | undefined;
  #storage: readonly (IdColumn | NumberColumn)[] | undefined;

  get(name: string, type: ColumnType): ColumnOfKind | undefined {
    // A kind has few columns: comparing their names takes less time than making a key.
    for (const column of this.list()) if (column.name === name && column.type === type) return column;
    return undefined;
  }

  list(): readonly ColumnOfKind[] {
    this.#list ??= [...this.#columns.values()];
    return this.#list;
  }

  storage(): readonly (IdColumn | NumberColumn)[] {
    this.#storage ??= Array.from(this.#columns.values(), storageOf);
    return this.#storage;
  }

  share(): KindColumns {
    const shared = new KindColumns();
    for (const [key, column] of this.#columns)
      shared.#columns.set(
        key,
        column instanceof KindIdColumn
          ? new KindIdColumn(column.name, column.type, column.ids.share())
          : new KindNumberColumn(column.name, column.type, column.numbers.share()),
      );
    return shared;
  }

  /** Writes the values of a step: those of the batch, and none in every other column. */
  write(written: WrittenRows, capacity: number): void {
    const { columns } = written.mapping.parts;
    for (const { name, type } of columns) this.#open(name, type, capacity);
    for (const column of this.list()) {
      const given = columns.find(({ name, type }) => name === column.name && type === column.type);
      if (column instanceof KindIdColumn) writeIds(column, given, written);
      else writeNumbers(column, given, written);
    }
  }

  /** Writes the values of added rows: those that they have in another table, and none in every other column. */
  append(added: AddedRows, of: KindColumns, capacity: number): void {
    for (const { name, type } of of.list()) this.#open(name, type, capacity);
    const { rows, count, firstNew } = added;
    for (const column of this.list()) {
      const given = of.get(column.name, column.type);
      if (column instanceof KindIdColumn) {
        const source = given instanceof KindIdColumn ? given.ids : undefined;
        column.ids.write(rows, added.ids(idKinds[column.type], source), count, firstNew);
      } else {
        const source = given instanceof KindNumberColumn ? given.numbers : undefined;
        column.numbers.write(rows, added.numbers(source), count, firstNew);
      }
    }
  }

  dropEmpty(): void {
    for (const [key, column] of this.#columns) {
      if (storageOf(column).presentCount > 0) continue;
      this.#columns.delete(key);
      this.#list = undefined;
      this.#storage = undefined;
    }
  }

  #open(name: string, type: ColumnType, capacity: number): void {
    const key = `${type} ${name}`;
    if (this.#columns.has(key)) return;
    this.#columns.set(key, createColumn(name, type, capacity));
    this.#list = undefined;
    this.#storage = undefined;
  }
}

function writeIds({ ids }: KindIdColumn, given: BatchColumn | undefined, written: WrittenRows): void {
  const { rows, count, firstNew } = written;
  ids.write(rows, storedIds(given, written), count, firstNew);
}

function storedIds(given: BatchColumn | undefined, written: WrittenRows): Uint32Array {
  switch (given?.type) {
    case "string":
      return written.optionalTexts(given.values);
    case "stringList":
      return written.optionalLists(given.values);
    case "boolean":
      return written.booleans(given.values);
    default:
      return written.noIds();
  }
}

function writeNumbers({ numbers }: KindNumberColumn, given: BatchColumn | undefined, written: WrittenRows): void {
  const { rows, count, firstNew } = written;
  const isNumbers = given?.type === "integer" || given?.type === "float";
  numbers.write(rows, isNumbers ? written.numbers(given.values) : written.noNumbers(), count, firstNew);
}
