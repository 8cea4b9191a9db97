// SPDX-License-Identifier: Apache-2.0
import type { CellMask } from "./cell-mask.ts";
import type { ClusterCells } from "./cluster-cells.ts";
import type { ClusterMasks } from "./cluster-masks.ts";
import type { AnsweredSets } from "./label-answers.ts";
import { type LabelCells, namespaceOfKey, placeOfKey } from "./label-cells.ts";
import type { NamespaceSums } from "./namespace-sums.ts";
import { countOfCell, namespaceOfCell, rankCount } from "./table-cells.ts";
import type { TableRows } from "./table-rows.ts";

/** Looking a namespace up takes as long as looking at this many cells. */
const lookupShare = 8;

/** Selected rows of one cluster. */
export interface ClusterCounts {
  readonly total: number;
  /** By the number of the table. */
  readonly tableCounts: Uint32Array;
  /** By rank of the status. */
  readonly statusCounts: Uint32Array;
}

/** Selected rows of one cluster, counted without looking at them. */
export class CellTally implements ClusterCounts {
  tableCounts = new Uint32Array(0);
  readonly statusCounts = new Uint32Array(rankCount);
  total = 0;
  #moved = new Int32Array(0);
  readonly #rankCounts = new Uint32Array(rankCount);

  /** Begins another cluster. */
  start(tableCount: number): void {
    if (this.tableCounts.length === tableCount) this.tableCounts.fill(0);
    else this.tableCounts = new Uint32Array(tableCount);
    this.statusCounts.fill(0);
    this.total = 0;
  }

  /** Adds all rows of a table whose status is in the mask. */
  addStatuses(at: number, { counts }: ClusterCells, mask: number): void {
    for (let rank = 0; mask >> rank > 0; rank += 1)
      if (((mask >> rank) & 1) === 1) this.#add(at, rank, counts[at * rankCount + rank] ?? 0);
  }

  /** Adds the namespaces of rows that `addStatuses` has counted. */
  addNamespaces(at: number, { starts, cells }: ClusterCells, mask: number, { sums, ids }: NamespaceSums): void {
    for (let rank = 0; mask >> rank > 0; rank += 1) {
      if (((mask >> rank) & 1) === 0) continue;
      const place = at * rankCount + rank;
      sumRange(cells, starts[place] ?? 0, starts[place + 1] ?? 0, { sums, ids });
    }
  }

  /** Adds the rows of a table that pass. `few` are the numbers of the namespaces that can pass, if they are few. */
  addMasked(
    at: number,
    { starts, cells }: ClusterCells,
    mask: Uint8Array,
    few: Uint32Array | undefined,
    namespaces: NamespaceSums,
  ): void {
    for (let rank = 0; rank < rankCount; rank += 1) {
      const place = at * rankCount + rank;
      const [from, end] = [starts[place] ?? 0, starts[place + 1] ?? 0];
      if (from === end) continue;
      const isLookedUp = few !== undefined && few.length * lookupShare < end - from;
      const count = isLookedUp
        ? sumFew(cells.subarray(from, end), few, { mask, rank }, namespaces)
        : sumMasked(cells.subarray(from, end), { mask, rank }, namespaces);
      this.#add(at, rank, count);
    }
  }

  /** Moves the rows of label sets from the masks of rows without labels to those of their set. */
  moveSets(
    { starts, words }: LabelCells,
    { sets, count, answers }: AnsweredSets,
    { byLabels, plain }: ClusterMasks,
    { sums, ids }: NamespaceSums,
  ): void {
    const moved = this.#startMoving();
    for (let at = 0; at < count; at += 1) {
      const set = sets[at] ?? 0;
      const after = byLabels[answers[at] ?? 0] ?? plain;
      if (after === plain || set + 1 >= starts.length) continue;
      const changes = after.changesSince(plain);
      const end = (starts[set + 1] ?? 0) * 2;
      for (let word = (starts[set] ?? 0) * 2; word < end; word += 2) {
        const key = words[word] ?? 0;
        const place = placeOfKey(key);
        const id = ids[namespaceOfKey(key)] ?? 0;
        const change =
          changes === undefined ? after.passes(place, id) - plain.passes(place, id) : (changes[place] ?? 0);
        if (change === 0) continue;
        const rowCount = change * (words[word + 1] ?? 0);
        moved[place] = (moved[place] ?? 0) + rowCount;
        sums[id] = (sums[id] ?? 0) + rowCount;
      }
    }
    for (let place = 0; place < moved.length; place += 1)
      if (moved[place] !== 0) this.#add(Math.trunc(place / rankCount), place % rankCount, moved[place] ?? 0);
  }

  /** Adds the rows of a table that pass, one by one. `answers` are those of the label tests, by set. */
  addRows(
    at: number,
    { table, rows }: TableRows,
    answers: Uint8Array,
    { byLabels }: ClusterMasks,
    { sums, ids }: NamespaceSums,
  ): void {
    const masks = byLabels.map((each) => each.masks[at] ?? 0);
    const plainMasks = Uint8Array.from(masks, (mask) => (typeof mask === "number" ? mask : 0));
    const isPlain = masks.every((mask) => typeof mask === "number");
    const [sets, ranks, numbers] = [table.labels.values, table.statuses.values, table.namespaces.values];
    const counts = this.#rankCounts.fill(0);
    const length = rows === undefined ? table.count : rows.length;
    // Without a branch on what passes: one that is taken at random costs 5 ns a row.
    for (let place = 0; place < length; place += 1) {
      const row = rows === undefined ? place : (rows[place] ?? 0);
      const answer = answers[sets[row] ?? 0] ?? 0;
      const rank = ranks[row] ?? 0;
      const id = ids[numbers[row] ?? 0] ?? 0;
      const passed = ((isPlain ? (plainMasks[answer] ?? 0) : bitsOf(masks[answer], id)) >> rank) & 1;
      counts[rank] = (counts[rank] ?? 0) + passed;
      sums[id] = (sums[id] ?? 0) + passed;
    }
    for (const [rank, count] of counts.entries()) this.#add(at, rank, count);
  }

  /** Rows by place, all 0. */
  #startMoving(): Int32Array {
    const placeCount = this.tableCounts.length * rankCount;
    if (this.#moved.length === placeCount) this.#moved.fill(0);
    else this.#moved = new Int32Array(placeCount);
    return this.#moved;
  }

  #add(at: number, rank: number, count: number): void {
    this.tableCounts[at] = (this.tableCounts[at] ?? 0) + count;
    this.statusCounts[rank] = (this.statusCounts[rank] ?? 0) + count;
    this.total += count;
  }
}

/** The statuses that pass in a namespace. */
function bitsOf(mask: CellMask | undefined, namespace: number): number {
  return typeof mask === "object" ? (mask[namespace] ?? 0) : (mask ?? 0);
}

/** Adds cells to the sums of their namespaces. */
export function sumRange(cells: Uint32Array, from: number, end: number, { sums, ids }: NamespaceSums): void {
  for (let at = from; at < end; at += 1) {
    const cell = cells[at] ?? 0;
    const id = ids[namespaceOfCell(cell)] ?? 0;
    sums[id] = (sums[id] ?? 0) + countOfCell(cell);
  }
}

interface RankMask {
  readonly mask: Uint8Array;
  readonly rank: number;
}

function sumMasked(cells: Uint32Array, { mask, rank }: RankMask, { sums, ids }: NamespaceSums): number {
  let sum = 0;
  for (let at = 0; at < cells.length; at += 1) {
    const cell = cells[at] ?? 0;
    const id = ids[namespaceOfCell(cell)] ?? 0;
    const count = countOfCell(cell) & -(((mask[id] ?? 0) >> rank) & 1);
    sums[id] = (sums[id] ?? 0) + count;
    sum += count;
  }
  return sum;
}

/** Looks the namespaces up, each after the one before it. */
function sumFew(cells: Uint32Array, few: Uint32Array, { mask, rank }: RankMask, { sums, ids }: NamespaceSums): number {
  let [sum, place] = [0, 0];
  for (let at = 0; at < few.length && place < cells.length; at += 1) {
    const number = few[at] ?? 0;
    place = placeOf(cells, place, number);
    const id = ids[number] ?? 0;
    if ((((mask[id] ?? 0) >> rank) & 1) === 0) continue;
    for (; place < cells.length && namespaceOfCell(cells[place] ?? 0) === number; place += 1) {
      const count = countOfCell(cells[place] ?? 0);
      sums[id] = (sums[id] ?? 0) + count;
      sum += count;
    }
  }
  return sum;
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
