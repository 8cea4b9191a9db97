// SPDX-License-Identifier: Apache-2.0
// Numbers of rows of equal namespace, kind and status, for the tables of one cluster.
import { statuses } from "../../model/status.ts";
import type { ClusterTexts } from "../table/cluster-texts.ts";
import type { KindTable } from "../table/kind-table.ts";
import { everyStatus } from "./cell-mask.ts";
import type { QueryWork } from "./query-work.ts";

/** A cell is one number of 32 bits: the table, the status and the count. */
const [countBits, statusBits, tableBits] = [19, 3, 10];

/** Most tables of a cluster that has cells. */
const maxTables = 2 ** tableBits;

/** Most rows of a cluster that has cells: a count must fit its bits. They are counted in one step, 10 ns a row. */
const maxRows = 300_000;

/** Numbers of namespaces with the numbers of their rows. A namespace may occur repeatedly. */
export interface NamespaceCounts {
  readonly numbers: Uint32Array;
  /** Below 0 for rows that another list counts and that are not selected. */
  readonly counts: Int32Array;
  /** The number of elements that are meant. */
  readonly length: number;
}

/** The rows of one cluster by namespace, table and status. */
export interface ClusterCells {
  /** In the order of the table numbers in cells. */
  readonly tables: readonly KindTable[];
  /** The cells of namespace `number` are those from `starts[number]` to `starts[number + 1]`. */
  readonly starts: Uint32Array;
  readonly cells: Uint32Array;
  /** For all tables together: the namespaces of the rows with each status, and last those of all rows. */
  readonly byStatus: readonly NamespaceCounts[];
}

export const countOfCell = (cell: number): number => cell & (2 ** countBits - 1);
export const statusOfCell = (cell: number): number => (cell >>> countBits) & (2 ** statusBits - 1);
export const tableOfCell = (cell: number): number => cell >>> (countBits + statusBits);

/** The namespaces of rows of all tables whose status is in the mask. */
export function namespacesOf({ byStatus }: ClusterCells, mask: number): readonly NamespaceCounts[] {
  if (mask === everyStatus) return byStatus.slice(statuses.length);
  return byStatus.filter((_counts, rank) => rank < statuses.length && (mask & (1 << rank)) !== 0);
}

interface KeptCells {
  readonly cells: ClusterCells;
  readonly versions: readonly number[];
}

const kept = new WeakMap<ClusterTexts, KeptCells>();

/** The cells of a cluster, counted again after rows changed; undefined for a cluster that is too large for them. */
export function cellsOf(
  cluster: ClusterTexts,
  tables: readonly KindTable[],
  work: Pick<QueryWork, "touch">,
): ClusterCells | undefined {
  if (tables.length > maxTables) return undefined;
  const known = kept.get(cluster);
  if (known !== undefined && isCurrent(known, tables)) return known.cells;
  const rowCount = tables.reduce((sum, { count }) => sum + count, 0);
  if (rowCount > maxRows) return undefined;
  work.touch(rowCount);
  const cells = countCells(tables, cluster.namespaceCount);
  kept.set(cluster, { cells, versions: tables.map(({ version }) => version) });
  return cells;
}

function isCurrent({ cells, versions }: KeptCells, tables: readonly KindTable[]): boolean {
  if (tables.length !== cells.tables.length) return false;
  for (let at = 0; at < tables.length; at += 1) {
    const table = tables[at];
    if (table !== cells.tables[at] || table?.version !== versions[at]) return false;
  }
  return true;
}

function countCells(tables: readonly KindTable[], namespaceCount: number): ClusterCells {
  const { ends, kinds } = orderByNamespace(tables, namespaceCount);
  const cells = new CellWriter(namespaceCount);
  const lists = Array.from({ length: statuses.length + 1 }, () => new NamespaceWriter());
  const counts = new Uint32Array(tables.length << statusBits);
  const counted = new Uint16Array(counts.length);
  const statusCounts = new Uint32Array(statuses.length);
  let place = 0;
  for (let number = 0; number < namespaceCount; number += 1) {
    const [from, end] = [place, ends[number] ?? 0];
    let countedLength = 0;
    for (; place < end; place += 1) {
      const kind = kinds[place] ?? 0;
      if (counts[kind] === 0) {
        counted[countedLength] = kind;
        countedLength += 1;
      }
      counts[kind] = (counts[kind] ?? 0) + 1;
    }
    for (let at = 0; at < countedLength; at += 1) {
      const kind = counted[at] ?? 0;
      const count = counts[kind] ?? 0;
      counts[kind] = 0;
      const rank = kind & (2 ** statusBits - 1);
      statusCounts[rank] = (statusCounts[rank] ?? 0) + count;
      cells.write(kind, count);
    }
    cells.end();
    for (let rank = 0; rank < statusCounts.length; rank += 1) lists[rank]?.write(number, statusCounts[rank] ?? 0);
    statusCounts.fill(0);
    lists[statuses.length]?.write(number, end - from);
  }
  return { tables, ...cells.finish(), byStatus: lists.map((list) => list.finish()) };
}

/** Table and status of each row, namespace by namespace: those of namespace `number` end at `ends[number]`. */
function orderByNamespace(
  tables: readonly KindTable[],
  namespaceCount: number,
): { readonly ends: Uint32Array; readonly kinds: Uint16Array } {
  const places = new Uint32Array(namespaceCount + 1);
  let rowCount = 0;
  for (const { count, namespaces } of tables) {
    const numbers = namespaces.values;
    for (let row = 0; row < count; row += 1) {
      const next = (numbers[row] ?? 0) + 1;
      places[next] = (places[next] ?? 0) + 1;
    }
    rowCount += count;
  }
  for (let number = 1; number <= namespaceCount; number += 1)
    places[number] = (places[number] ?? 0) + (places[number - 1] ?? 0);
  const kinds = new Uint16Array(rowCount);
  for (const [at, { count, namespaces, statuses: ranksOf }] of tables.entries()) {
    const [numbers, ranks] = [namespaces.values, ranksOf.values];
    for (let row = 0; row < count; row += 1) {
      const number = numbers[row] ?? 0;
      const place = places[number] ?? 0;
      places[number] = place + 1;
      kinds[place] = (at << statusBits) | (ranks[row] ?? 0);
    }
  }
  return { ends: places, kinds };
}

/** Writes the cells of one namespace after another. */
class CellWriter {
  readonly #starts: Uint32Array;
  #namespace = 0;
  #cells = new Uint32Array(256);
  #length = 0;

  constructor(namespaceCount: number) {
    this.#starts = new Uint32Array(namespaceCount + 1);
  }

  write(kind: number, count: number): void {
    if (this.#length === this.#cells.length) this.#cells = grown(this.#cells);
    this.#cells[this.#length] = ((kind << countBits) | count) >>> 0;
    this.#length += 1;
  }

  end(): void {
    this.#namespace += 1;
    this.#starts[this.#namespace] = this.#length;
  }

  finish(): { readonly starts: Uint32Array; readonly cells: Uint32Array } {
    return { starts: this.#starts, cells: this.#cells.slice(0, this.#length) };
  }
}

class NamespaceWriter {
  #numbers = new Uint32Array(16);
  #counts = new Int32Array(16);
  #length = 0;

  write(number: number, count: number): void {
    if (count === 0) return;
    if (this.#length === this.#numbers.length) {
      this.#numbers = grown(this.#numbers);
      const counts = new Int32Array(this.#counts.length * 2);
      counts.set(this.#counts);
      this.#counts = counts;
    }
    this.#numbers[this.#length] = number;
    this.#counts[this.#length] = count;
    this.#length += 1;
  }

  finish(): NamespaceCounts {
    const length = this.#length;
    return { numbers: this.#numbers.slice(0, length), counts: this.#counts.slice(0, length), length };
  }
}

function grown(values: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(values.length * 2);
  larger.set(values);
  return larger;
}
