// SPDX-License-Identifier: Apache-2.0
// Numbers of rows of equal label set, kind, status and namespace, for the tables of one cluster.
import type { ClusterTexts } from "../table/cluster-texts.ts";
import type { KindTable } from "../table/kind-table.ts";
import { KeptOfTables } from "./kept-of-tables.ts";
import type { QueryWork } from "./query-work.ts";

/** The key of a cell is one number of 32 bits: the table, the status and the namespace. */
const [statusBits, namespaceBits] = [3, 19];
const maxTables = 2 ** (32 - statusBits - namespaceBits);

/** The count of a cell is a byte. More rows take several cells. */
const maxCount = 255;

/** Most rows of a cluster that has label cells. They are counted in one step, 10 ns a row. */
const maxRows = 300_000;

/** The rows of one cluster by label set. */
export interface LabelCells {
  /** The cells of label set `set` are those from `starts[set]` to `starts[set + 1]`. */
  readonly starts: Uint32Array;
  readonly keys: Uint32Array;
  readonly counts: Uint8Array;
}

export const tableOfKey = (key: number): number => key >>> (statusBits + namespaceBits);
export const statusOfKey = (key: number): number => (key >>> namespaceBits) & (2 ** statusBits - 1);
export const namespaceOfKey = (key: number): number => key & (2 ** namespaceBits - 1);

/** Some 4 bytes a row. */
const kept = new KeptOfTables<LabelCells | undefined>();

/**
 * The label cells of a cluster, counted when a query first asks for them. Tables are all tables of the cluster.
 * Undefined for a cluster that is too large for them.
 */
export function labelCellsOf(
  cluster: ClusterTexts,
  tables: readonly KindTable[],
  work: Pick<QueryWork, "touch">,
): LabelCells | undefined {
  return kept.get(cluster, tables, () => {
    const rowCount = tables.reduce((sum, { count }) => sum + count, 0);
    const hasNumbers = tables.length <= maxTables && cluster.namespaceCount <= 2 ** namespaceBits;
    if (rowCount > maxRows || !hasNumbers) return undefined;
    work.touch(rowCount);
    return countCells(tables, rowCount, cluster.maps.count);
  });
}

function countCells(tables: readonly KindTable[], rowCount: number, setCount: number): LabelCells {
  const { ends, keys } = orderBySet(tables, rowCount, setCount);
  const starts = new Uint32Array(setCount + 1);
  const counts = new Uint8Array(rowCount);
  let [length, at] = [0, 0];
  for (let set = 0; set < setCount; set += 1) {
    const [from, end] = [length, ends[set] ?? 0];
    for (; at < end; at += 1) {
      const key = keys[at] ?? 0;
      // The rows of a set come table by table, most of them from one namespace.
      if (length > from && keys[length - 1] === key && (counts[length - 1] ?? 0) < maxCount)
        counts[length - 1] = (counts[length - 1] ?? 0) + 1;
      else {
        keys[length] = key;
        counts[length] = 1;
        length += 1;
      }
    }
    starts[set + 1] = length;
  }
  return { starts, keys: keys.slice(0, length), counts: counts.slice(0, length) };
}

/** The keys of all rows, set by set: those of `set` end at `ends[set]`. */
function orderBySet(
  tables: readonly KindTable[],
  rowCount: number,
  setCount: number,
): { readonly ends: Uint32Array; readonly keys: Uint32Array } {
  const places = new Uint32Array(setCount + 1);
  for (const { count, labels } of tables) {
    const sets = labels.values;
    for (let row = 0; row < count; row += 1) {
      const next = (sets[row] ?? 0) + 1;
      places[next] = (places[next] ?? 0) + 1;
    }
  }
  for (let set = 1; set <= setCount; set += 1) places[set] = (places[set] ?? 0) + (places[set - 1] ?? 0);
  const keys = new Uint32Array(rowCount);
  for (const [at, { count, labels, namespaces, statuses }] of tables.entries()) {
    const [sets, numbers, ranks] = [labels.values, namespaces.values, statuses.values];
    const tableKey = at << (statusBits + namespaceBits);
    for (let row = 0; row < count; row += 1) {
      const set = sets[row] ?? 0;
      const place = places[set] ?? 0;
      places[set] = place + 1;
      keys[place] = tableKey | ((ranks[row] ?? 0) << namespaceBits) | (numbers[row] ?? 0);
    }
  }
  return { ends: places, keys };
}
