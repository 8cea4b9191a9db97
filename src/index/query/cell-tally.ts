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
  #counts = new Uint32Array(0);

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
    const [first] = masks;
    if (typeof first === "number" && masks.every((mask) => mask === first)) {
      this.countTables(cells.tables, masks);
      this.namespaces = namespacesOf(cells, first);
      return;
    }
    this.#clear(cells.tables.length);
    this.#countEach(cells, masks);
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
    if (this.#numbers.length < namespaceCount) {
      this.#numbers = new Uint32Array(namespaceCount * 2);
      this.#counts = new Uint32Array(namespaceCount * 2);
    }
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
    this.namespaces = [{ numbers, counts, from: 0, end: length }];
  }
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
