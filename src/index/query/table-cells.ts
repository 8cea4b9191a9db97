// SPDX-License-Identifier: Apache-2.0
// Numbers of rows of equal namespace and status, for one table.
import { statuses } from "../../model/status.ts";
import type { ClusterTexts } from "../table/cluster-texts.ts";
import type { KindTable } from "../table/kind-table.ts";
import { KeptOfTables } from "./kept-of-tables.ts";
import type { QueryWork } from "./query-work.ts";

/** A cell is one number of 32 bits: the number of a namespace and the count. A larger count takes several cells. */
const [namespaceBits, countBits] = [20, 12];
const maxCount = 2 ** countBits - 1;

/** Most rows of a table that has cells. They are counted in one step, 5 ns a row. */
const maxRows = 400_000;

/** The rows of one table by status and namespace. */
export interface TableCells {
  /** The cells of the status with rank `rank` are those from `starts[rank]` to `starts[rank + 1]`. */
  readonly starts: Uint32Array;
  /** Ascending for each status. */
  readonly cells: Uint32Array;
}

export const countOfCell = (cell: number): number => cell & maxCount;
export const namespaceOfCell = (cell: number): number => cell >>> countBits;

interface KeptCells {
  readonly cells: TableCells;
  readonly version: number;
}

/** The cells of a table take some 2 bytes a row. They go with their table. */
const kept = new WeakMap<KindTable, KeptCells>();

/** The cells of a table, counted again after rows changed; undefined for a table that is too large for them. */
export function cellsOf(table: KindTable, work: Pick<QueryWork, "touch">): TableCells | undefined {
  const known = kept.get(table);
  if (known?.version === table.version) return known.cells;
  if (table.count > maxRows || table.cluster.namespaceCount > 2 ** namespaceBits) return undefined;
  work.touch(table.count);
  const cells = countCells(table);
  kept.set(table, { cells, version: table.version });
  return cells;
}

/** Four bytes for each namespace of a cluster. */
const everyNamespace = new KeptOfTables<Uint32Array | undefined>();

/** Cells of all rows of a cluster, whatever their table and status; undefined if a table is too large for cells. */
export function everyNamespaceOf(
  cluster: ClusterTexts,
  tables: readonly KindTable[],
  work: Pick<QueryWork, "touch">,
): Uint32Array | undefined {
  return everyNamespace.get(cluster, tables, () => {
    const counts = new Uint32Array(cluster.namespaceCount);
    for (const table of tables) {
      const cells = cellsOf(table, work)?.cells;
      if (cells === undefined) return undefined;
      for (const cell of cells)
        counts[namespaceOfCell(cell)] = (counts[namespaceOfCell(cell)] ?? 0) + countOfCell(cell);
    }
    return toCells(counts);
  });
}

/** Cells of these counts, by the number of the namespace. */
function toCells(counts: Uint32Array): Uint32Array {
  const cells: number[] = [];
  for (const [number, count] of counts.entries())
    for (let left = count; left > 0; left -= maxCount)
      cells.push(((number << countBits) | Math.min(left, maxCount)) >>> 0);
  return Uint32Array.from(cells);
}

/** The cells of those namespaces that have a status in the mask. */
export function keepCells({ starts, cells }: TableCells, mask: Uint8Array): TableCells {
  const keptStarts = new Uint32Array(starts.length);
  const room = new Uint32Array(cells.length);
  let length = 0;
  for (let rank = 0; rank < statuses.length; rank += 1) {
    const end = starts[rank + 1] ?? 0;
    for (let at = starts[rank] ?? 0; at < end; at += 1) {
      const cell = cells[at] ?? 0;
      room[length] = cell;
      length += ((mask[namespaceOfCell(cell)] ?? 0) >> rank) & 1;
    }
    keptStarts[rank + 1] = length;
  }
  return { starts: keptStarts, cells: room.slice(0, length) };
}

/** Rows of a namespace are adjacent in key order, so that most belong to the last cell of their status. */
function countCells(table: KindTable): TableCells {
  const { count } = table;
  const [numbers, ranks, order] = [table.namespaces.values, table.statuses.values, table.order()];
  // Each status has room for as many cells as rows.
  const froms = new Uint32Array(statuses.length);
  for (let rank = 1; rank < froms.length; rank += 1) froms[rank] = (froms[rank - 1] ?? 0) + table.statusCount(rank - 1);
  const nexts = froms.slice();
  const room = new Uint32Array(count);
  for (let at = 0; at < count; at += 1) {
    const row = order[at] ?? 0;
    const [number, rank] = [numbers[row] ?? 0, ranks[row] ?? 0];
    const next = nexts[rank] ?? 0;
    const last = next > (froms[rank] ?? 0) ? (room[next - 1] ?? 0) : 0;
    if (last !== 0 && namespaceOfCell(last) === number && countOfCell(last) < maxCount) room[next - 1] = last + 1;
    else {
      room[next] = (number << countBits) | 1;
      nexts[rank] = next + 1;
    }
  }
  return joinRanges(room, froms, nexts);
}

/** The ranges without the room between them, each in ascending order. */
function joinRanges(room: Uint32Array, froms: Uint32Array, ends: Uint32Array): TableCells {
  const starts = new Uint32Array(froms.length + 1);
  for (let rank = 0; rank < froms.length; rank += 1)
    starts[rank + 1] = (starts[rank] ?? 0) + (ends[rank] ?? 0) - (froms[rank] ?? 0);
  const cells = new Uint32Array(starts[froms.length] ?? 0);
  for (let rank = 0; rank < froms.length; rank += 1) {
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
