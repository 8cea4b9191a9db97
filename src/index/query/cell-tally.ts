// SPDX-License-Identifier: Apache-2.0
import { statuses } from "../../model/status.ts";
import type { KindTable } from "../table/kind-table.ts";
import type { CellMask } from "./cell-mask.ts";
import { countOfCell, namespaceOfCell, type TableCells } from "./table-cells.ts";

/** Looking a namespace up takes as long as looking at this many cells. */
const lookupShare = 8;

/** Namespaces with the numbers of their rows. */
export interface NamespaceCounts {
  /** The first `length` are numbers of namespaces, each once. */
  readonly numbers: Uint32Array;
  readonly length: number;
  /** By number of a namespace. */
  readonly counts: Uint32Array;
}

/** Selected rows of one cluster, counted without looking at them. */
export class CellTally implements NamespaceCounts {
  /** By the number of the table. */
  tableCounts = new Uint32Array(0);
  readonly statusCounts = new Uint32Array(statuses.length);
  total = 0;
  numbers = new Uint32Array(0);
  length = 0;
  counts = new Uint32Array(0);

  /** Begins another cluster. */
  start(tableCount: number, namespaceCount: number): void {
    if (this.tableCounts.length === tableCount) this.tableCounts.fill(0);
    else this.tableCounts = new Uint32Array(tableCount);
    this.statusCounts.fill(0);
    this.total = 0;
    const { numbers, counts } = this;
    for (let at = 0; at < this.length; at += 1) counts[numbers[at] ?? 0] = 0;
    this.length = 0;
    if (namespaceCount <= counts.length) return;
    this.numbers = new Uint32Array(Math.ceil(namespaceCount * 1.5));
    this.counts = new Uint32Array(this.numbers.length);
  }

  /** Adds the rows of a table whose status is in the mask. Their namespaces are not counted. */
  addStatuses(at: number, table: KindTable, mask: number): void {
    for (let rank = 0; mask >> rank > 0; rank += 1)
      if ((mask & (1 << rank)) !== 0) this.#add(at, rank, table.statusCount(rank));
  }

  /** Adds the rows of a table that pass the mask. `passing` are the namespaces that can pass, ascending. */
  addCells(at: number, { starts, cells }: TableCells, mask: CellMask, passing: Uint32Array): void {
    for (let rank = 0; rank < statuses.length; rank += 1) {
      const [from, end] = [starts[rank] ?? 0, starts[rank + 1] ?? 0];
      if (from === end) continue;
      if (typeof mask === "number") {
        if (((mask >> rank) & 1) === 1) this.#add(at, rank, this.#addRange(cells, from, end));
      } else if (passing.length * lookupShare > end - from)
        this.#add(at, rank, this.#addMasked(cells.subarray(from, end), mask, rank));
      else this.#add(at, rank, this.#addPassing(cells.subarray(from, end), mask, rank, passing));
    }
  }

  /** Adds the namespaces of rows that `addStatuses` has counted. */
  addNamespaces(cells: Uint32Array): void {
    this.#addRange(cells, 0, cells.length);
  }

  #add(at: number, rank: number, count: number): void {
    this.tableCounts[at] = (this.tableCounts[at] ?? 0) + count;
    this.statusCounts[rank] = (this.statusCounts[rank] ?? 0) + count;
    this.total += count;
  }

  #addRange(cells: Uint32Array, from: number, end: number): number {
    const { numbers, counts } = this;
    let { length } = this;
    let sum = 0;
    for (let at = from; at < end; at += 1) {
      const cell = cells[at] ?? 0;
      const number = namespaceOfCell(cell);
      const count = countOfCell(cell);
      const before = counts[number] ?? 0;
      // Written in any case, and kept if the namespace is new: a branch would be taken at random.
      numbers[length] = number;
      length += (before - 1) >>> 31;
      counts[number] = before + count;
      sum += count;
    }
    this.length = length;
    return sum;
  }

  #addMasked(cells: Uint32Array, mask: Uint8Array, rank: number): number {
    const { numbers, counts } = this;
    let { length } = this;
    let sum = 0;
    for (let at = 0; at < cells.length; at += 1) {
      const cell = cells[at] ?? 0;
      const number = namespaceOfCell(cell);
      const count = countOfCell(cell) & -(((mask[number] ?? 0) >> rank) & 1);
      const before = counts[number] ?? 0;
      numbers[length] = number;
      length += ((before - 1) & -count) >>> 31;
      counts[number] = before + count;
      sum += count;
    }
    this.length = length;
    return sum;
  }

  /** Looks the namespaces up, each after the one before it. */
  #addPassing(cells: Uint32Array, mask: Uint8Array, rank: number, passing: Uint32Array): number {
    let [sum, place] = [0, 0];
    for (let at = 0; at < passing.length && place < cells.length; at += 1) {
      const number = passing[at] ?? 0;
      place = placeOf(cells, place, number);
      if ((((mask[number] ?? 0) >> rank) & 1) === 0) continue;
      for (; place < cells.length && namespaceOfCell(cells[place] ?? 0) === number; place += 1) {
        const count = countOfCell(cells[place] ?? 0);
        this.#addNumber(number, count);
        sum += count;
      }
    }
    return sum;
  }

  #addNumber(number: number, count: number): void {
    const before = this.counts[number] ?? 0;
    if (before === 0) {
      this.numbers[this.length] = number;
      this.length += 1;
    }
    this.counts[number] = before + count;
  }
}

/** The place of the first cell of a namespace or a later one, from a place on. Near that place it takes few steps. */
function placeOf(cells: Uint32Array, from: number, number: number): number {
  let [low, step] = [from, 1];
  while (low + step < cells.length && namespaceOfCell(cells[low + step] ?? 0) < number) {
    low += step;
    step *= 2;
  }
  let high = Math.min(low + step, cells.length);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (namespaceOfCell(cells[middle] ?? 0) < number) low = middle + 1;
    else high = middle;
  }
  return low;
}
