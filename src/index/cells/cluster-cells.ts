// SPDX-License-Identifier: Apache-2.0
import type { KindTable } from "../table/kind-table.ts";
import { createLabelCells, type LabelCells } from "./label-cells.ts";
import { cellOf, countOfCell, maxCellCount, namespaceOfCell, rankCount, type TableCells } from "./table-cells.ts";

/** A table and the rows of it that a user sees. */
export interface VisibleTable {
  readonly table: KindTable;
  /** In ascending order; undefined for every row. */
  readonly rows: Uint32Array | undefined;
}

/**
 * What a user sees of one cluster, as numbers of rows of equal table, status and namespace. One array holds the cells of
 * all tables: a query reads memory in order, and a table without a match costs nothing. It does not change.
 */
export class ClusterCells {
  /** By place: the number of the table times the number of statuses, plus the rank of the status. */
  readonly counts: Uint32Array;
  /** The cells of a place are those from `starts[place]` to `starts[place + 1]`. */
  readonly starts: Uint32Array;
  readonly cells: Uint32Array;
  readonly namespaceCount: number;
  #everyNamespace: Uint32Array | undefined;
  #labelCells: LabelCells | undefined;

  /** `parts` are the cells of tables, in key order. Namespaces have numbers below `namespaceCount`. */
  constructor(parts: readonly TableCells[], namespaceCount: number) {
    this.counts = new Uint32Array(parts.length * rankCount);
    this.starts = new Uint32Array(parts.length * rankCount + 1);
    this.cells = new Uint32Array(parts.reduce((sum, { cells }) => sum + cells.length, 0));
    this.namespaceCount = namespaceCount;
    let length = 0;
    for (const [at, { counts, starts, cells }] of parts.entries()) {
      this.counts.set(counts, at * rankCount);
      for (let rank = 0; rank < rankCount; rank += 1)
        this.starts[at * rankCount + rank + 1] = length + (starts[rank + 1] ?? 0);
      this.cells.set(cells, length);
      length += cells.length;
    }
  }

  get sizeBytes(): number {
    const { counts, starts, cells } = this;
    const arrays = [counts, starts, cells, this.#everyNamespace].map((array) => array?.byteLength ?? 0);
    return arrays.reduce((sum, bytes) => sum + bytes, this.#labelCells?.sizeBytes ?? 0);
  }

  /** The number of cells of one table. */
  lengthOf(at: number): number {
    return (this.starts[(at + 1) * rankCount] ?? 0) - (this.starts[at * rankCount] ?? 0);
  }

  /** The cells of one table, as a copy. */
  partOf(at: number): TableCells {
    const first = at * rankCount;
    const from = this.starts[first] ?? 0;
    return {
      counts: this.counts.slice(first, first + rankCount),
      starts: this.starts.slice(first, first + rankCount + 1).map((start) => start - from),
      cells: this.cells.slice(from, this.starts[first + rankCount]),
    };
  }

  /** Cells of all rows, whatever their table and status, by number of the namespace. */
  get everyNamespace(): Uint32Array {
    this.#everyNamespace ??= sumNamespaces(this.cells, this.namespaceCount);
    return this.#everyNamespace;
  }

  /** The same rows by label set. `visible` are the tables of the cells, with the same rows. */
  labelCells(visible: () => readonly VisibleTable[]): LabelCells {
    this.#labelCells ??= createLabelCells(visible());
    return this.#labelCells;
  }
}

function sumNamespaces(cells: Uint32Array, namespaceCount: number): Uint32Array {
  const counts = new Uint32Array(namespaceCount);
  for (const cell of cells) counts[namespaceOfCell(cell)] = (counts[namespaceOfCell(cell)] ?? 0) + countOfCell(cell);
  const sums: number[] = [];
  for (const [number, count] of counts.entries())
    for (let left = count; left > 0; left -= maxCellCount) sums.push(cellOf(number, Math.min(left, maxCellCount)));
  return Uint32Array.from(sums);
}
