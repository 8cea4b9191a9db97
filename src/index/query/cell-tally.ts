// SPDX-License-Identifier: Apache-2.0
import { statuses } from "../../model/status.ts";
import type { KindTable } from "../table/kind-table.ts";
import { type CellMask, everyStatus } from "./cell-mask.ts";
import {
  type ClusterCells,
  countOfCell,
  type NamespaceCounts,
  namespacesOf,
  statusOfCell,
  tableOfCell,
} from "./cluster-cells.ts";

/** Selected rows of one cluster, counted without looking at them. */
export class CellTally {
  /** By the number of the table. */
  tableCounts = new Uint32Array(0);
  readonly statusCounts = new Uint32Array(statuses.length);
  /** Empty if the tally was not asked for namespaces. */
  namespaces: readonly NamespaceCounts[] = [];
  total = 0;
  #numbers = new Uint32Array(0);
  #counts = new Int32Array(0);

  /** Counts the rows that pass the mask of their table, by table and status. No mask depends on the namespace. */
  countTables(tables: readonly KindTable[], masks: readonly CellMask[]): void {
    this.#clear(tables.length);
    for (let at = 0; at < tables.length; at += 1) {
      const [table, mask] = [tables[at], masks[at]];
      if (table === undefined || typeof mask !== "number") continue;
      let count = 0;
      for (let rank = 0; mask >> rank > 0; rank += 1) {
        if ((mask & (1 << rank)) === 0) continue;
        const ofStatus = table.statusCount(rank);
        count += ofStatus;
        this.statusCounts[rank] = (this.statusCounts[rank] ?? 0) + ofStatus;
      }
      this.tableCounts[at] = count;
      this.total += count;
    }
  }

  /** Counts the rows that pass the mask of their table, by table, status and namespace. */
  countCells(cells: ClusterCells, masks: readonly CellMask[]): void {
    const usual = usualMask(cells, masks);
    if (usual === undefined) {
      this.#clear(cells.tables.length);
      this.#countEach(cells, masks);
      return;
    }
    this.countTables(cells.tables, masks);
    const corrected = this.#correct(cells.tables, masks, usual);
    this.namespaces = [...namespacesOf(cells, usual), corrected];
  }

  /** The rows of tables with another mask: less those of the usual mask, more those of their own. */
  #correct(tables: readonly KindTable[], masks: readonly CellMask[], usual: number): NamespaceCounts {
    let length = 0;
    for (const [at, { count, namespaces, statuses: ranksOf }] of tables.entries()) {
      const mask = masks[at];
      if (mask === usual || typeof mask !== "number") continue;
      this.#reserve(length + count);
      const [numbers, ranks] = [namespaces.values, ranksOf.values];
      for (let row = 0; row < count; row += 1) {
        const rank = ranks[row] ?? 0;
        const change = ((mask >> rank) & 1) - ((usual >> rank) & 1);
        if (change === 0) continue;
        this.#numbers[length] = numbers[row] ?? 0;
        this.#counts[length] = change;
        length += 1;
      }
    }
    return { numbers: this.#numbers, counts: this.#counts, length };
  }

  /** Room for this many namespaces; those that were written stay. */
  #reserve(length: number): void {
    if (length <= this.#numbers.length) return;
    const [numbers, counts] = [new Uint32Array(length * 2), new Int32Array(length * 2)];
    numbers.set(this.#numbers);
    counts.set(this.#counts);
    this.#numbers = numbers;
    this.#counts = counts;
  }

  #clear(tableCount: number): void {
    if (this.tableCounts.length === tableCount) this.tableCounts.fill(0);
    else this.tableCounts = new Uint32Array(tableCount);
    this.statusCounts.fill(0);
    this.namespaces = [];
    this.total = 0;
  }

  #countEach({ starts, cells }: ClusterCells, masks: readonly CellMask[]): void {
    const namespaceCount = starts.length - 1;
    const possible = unionOf(masks, namespaceCount);
    this.#reserve(namespaceCount);
    const { statusCounts, tableCounts } = this;
    const [numbers, counts] = [this.#numbers, this.#counts];
    let length = 0;
    for (let number = 0; number < namespaceCount; number += 1) {
      if (possible[number] === 0) continue;
      let count = 0;
      const end = starts[number + 1] ?? 0;
      for (let at = starts[number] ?? 0; at < end; at += 1) {
        const cell = cells[at] ?? 0;
        const table = tableOfCell(cell);
        const rank = statusOfCell(cell);
        const mask = masks[table] ?? 0;
        const bits = typeof mask === "number" ? mask : (mask[number] ?? 0);
        if (((bits >> rank) & 1) === 0) continue;
        const ofCell = countOfCell(cell);
        tableCounts[table] = (tableCounts[table] ?? 0) + ofCell;
        statusCounts[rank] = (statusCounts[rank] ?? 0) + ofCell;
        count += ofCell;
      }
      if (count === 0) continue;
      this.total += count;
      numbers[length] = number;
      counts[length] = count;
      length += 1;
    }
    this.namespaces = [{ numbers, counts, length }];
  }
}

/**
 * The mask that most rows have, if no mask depends on the namespace and reading the rows of the other tables takes less
 * time than reading all cells.
 */
function usualMask({ tables, cells }: ClusterCells, masks: readonly CellMask[]): number | undefined {
  const rowCounts = new Map<number, number>();
  let [usual, usualCount, allCount] = [0, -1, 0];
  for (const [at, { count }] of tables.entries()) {
    const mask = masks[at] ?? 0;
    if (typeof mask !== "number") return undefined;
    const sum = (rowCounts.get(mask) ?? 0) + count;
    rowCounts.set(mask, sum);
    allCount += count;
    if (sum > usualCount) [usual, usualCount] = [mask, sum];
  }
  return (allCount - usualCount) * 2 < cells.length ? usual : undefined;
}

/** The namespaces in which any table can have a selected row. */
function unionOf(masks: readonly CellMask[], namespaceCount: number): Uint8Array {
  const distinct = new Set(masks);
  distinct.delete(0);
  const [only] = distinct;
  if (distinct.size === 1 && only !== undefined && typeof only !== "number") return only;
  const union = new Uint8Array(namespaceCount);
  for (const mask of distinct) {
    if (typeof mask === "number") return union.fill(everyStatus);
    for (let number = 0; number < namespaceCount; number += 1)
      union[number] = (union[number] ?? 0) | (mask[number] ?? 0);
  }
  return union;
}
