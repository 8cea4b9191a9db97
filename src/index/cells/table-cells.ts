// SPDX-License-Identifier: Apache-2.0
// Numbers of rows of equal status and namespace, for one table.
import { statuses } from "../../model/status.ts";
import type { KindTable } from "../table/kind-table.ts";

/** A cell is one number of 32 bits: the number of a namespace and the count. A larger count takes several cells. */
const [namespaceBits, countBits] = [20, 12];
export const maxCellCount = 2 ** countBits - 1;

/** Most rows of a table that has cells. They are counted in one step, 5 ns a row. */
export const maxTableRows = 400_000;

/** Most namespaces of a cluster whose tables have cells. */
export const maxNamespaces = 2 ** namespaceBits;

export const rankCount = statuses.length;

/** The visible rows of one table by status and namespace. */
export interface TableCells {
  /** By rank of the status. */
  readonly counts: Uint32Array;
  /** The cells of the status with rank `rank` are those from `starts[rank]` to `starts[rank + 1]`. */
  readonly starts: Uint32Array;
  /** By number of the namespace, ascending for each status. */
  readonly cells: Uint32Array;
}

export const cellOf = (namespace: number, count: number): number => ((namespace << countBits) | count) >>> 0;
export const countOfCell = (cell: number): number => cell & maxCellCount;
export const namespaceOfCell = (cell: number): number => cell >>> countBits;

/** The cells of these rows of a table, in ascending order; undefined for every row. */
export function countTable(table: KindTable, visible: Uint32Array | undefined): TableCells {
  const [numbers, ranks] = [table.namespaces.values, table.statuses.values];
  const counts = new Uint32Array(rankCount);
  const isVisible = visible === undefined ? undefined : flagsOf(visible, table.count);
  if (visible === undefined) for (let rank = 0; rank < rankCount; rank += 1) counts[rank] = table.statusCount(rank);
  else
    for (const row of visible) {
      const rank = ranks[row] ?? 0;
      counts[rank] = (counts[rank] ?? 0) + 1;
    }
  // Each status has room for as many cells as rows.
  const froms = new Uint32Array(rankCount + 1);
  for (let rank = 0; rank < rankCount; rank += 1) froms[rank + 1] = (froms[rank] ?? 0) + (counts[rank] ?? 0);
  const nexts = froms.slice(0, rankCount);
  const room = new Uint32Array(froms[rankCount] ?? 0);
  // Rows of a namespace are adjacent in key order, so that most belong to the last cell of their status.
  const order = table.order();
  for (let at = 0; at < order.length; at += 1) {
    const row = order[at] ?? 0;
    if (isVisible !== undefined && isVisible[row] === 0) continue;
    const [number, rank] = [numbers[row] ?? 0, ranks[row] ?? 0];
    const next = nexts[rank] ?? 0;
    const last = next > (froms[rank] ?? 0) ? (room[next - 1] ?? 0) : 0;
    if (last !== 0 && namespaceOfCell(last) === number && countOfCell(last) < maxCellCount) room[next - 1] = last + 1;
    else {
      room[next] = cellOf(number, 1);
      nexts[rank] = next + 1;
    }
  }
  return { counts, ...joinRanges(room, froms, nexts) };
}

function flagsOf(rows: Uint32Array, count: number): Uint8Array {
  const flags = new Uint8Array(count);
  for (const row of rows) flags[row] = 1;
  return flags;
}

/** The ranges without the room between them, each in ascending order. */
function joinRanges(room: Uint32Array, froms: Uint32Array, ends: Uint32Array): Pick<TableCells, "starts" | "cells"> {
  const starts = new Uint32Array(rankCount + 1);
  for (let rank = 0; rank < rankCount; rank += 1)
    starts[rank + 1] = (starts[rank] ?? 0) + (ends[rank] ?? 0) - (froms[rank] ?? 0);
  const cells = new Uint32Array(starts[rankCount] ?? 0);
  for (let rank = 0; rank < rankCount; rank += 1) {
    const range = room.subarray(froms[rank], ends[rank]);
    // Numbers of namespaces were given in key order, unless namespaces came later.
    if (!isAscending(range)) range.sort();
    cells.set(range, starts[rank]);
  }
  return { starts, cells };
}

function isAscending(cells: Uint32Array): boolean {
  for (let at = 1; at < cells.length; at += 1) if ((cells[at - 1] ?? 0) > (cells[at] ?? 0)) return false;
  return true;
}
