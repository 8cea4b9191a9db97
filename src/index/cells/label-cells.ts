// SPDX-License-Identifier: Apache-2.0
import type { VisibleTable } from "./cluster-cells.ts";
import { maxNamespaces, rankCount } from "./table-cells.ts";

/** A key is one number of 32 bits: the place (table and status), and the number of the namespace. */
const namespaceBits = Math.log2(maxNamespaces);

/** Most tables of a cluster whose rows have keys. */
export const maxTables = 2 ** (32 - namespaceBits) / rankCount;

export const placeOfKey = (key: number): number => key >>> namespaceBits;
export const namespaceOfKey = (key: number): number => key & (maxNamespaces - 1);

/** Numbers of rows of equal label set, table, status and namespace. Rows without labels have none. */
export interface LabelCells {
  /** The cells of a set are those from `starts[set]` to `starts[set + 1]`. Later sets have no rows. */
  readonly starts: Uint32Array;
  /** The key and the count of each cell in turn. */
  readonly words: Uint32Array;
  readonly sizeBytes: number;
}

/** Takes some 10 ns a row. */
export function createLabelCells(visible: readonly VisibleTable[]): LabelCells {
  const setCount = visible.reduce((most, { table }) => Math.max(most, table.cluster.maps.count), 0);
  const froms = countSets(visible, setCount);
  const nexts = froms.slice(0, setCount);
  const words = new Uint32Array((froms[setCount] ?? 0) * 2);
  for (const [at, { table, rows }] of visible.entries()) {
    const [sets, ranks, numbers] = [table.labels.values, table.statuses.values, table.namespaces.values];
    const length = rows === undefined ? table.count : rows.length;
    for (let place = 0; place < length; place += 1) {
      const row = rows === undefined ? place : (rows[place] ?? 0);
      const set = sets[row] ?? 0;
      if (set === 0) continue;
      const key = (((at * rankCount + (ranks[row] ?? 0)) << namespaceBits) | (numbers[row] ?? 0)) >>> 0;
      const next = nexts[set] ?? 0;
      // Most rows with equal labels are of one kind, namespace and status.
      if (next > (froms[set] ?? 0) && words[next * 2 - 2] === key) words[next * 2 - 1] = (words[next * 2 - 1] ?? 0) + 1;
      else {
        words[next * 2] = key;
        words[next * 2 + 1] = 1;
        nexts[set] = next + 1;
      }
    }
  }
  return joinSets(words, froms, nexts);
}

/** For each set the place of its first cell, if each row took one. */
function countSets(visible: readonly VisibleTable[], setCount: number): Uint32Array {
  const froms = new Uint32Array(setCount + 1);
  for (const { table, rows } of visible) {
    const sets = table.labels.values;
    const length = rows === undefined ? table.count : rows.length;
    for (let place = 0; place < length; place += 1) {
      const set = sets[rows === undefined ? place : (rows[place] ?? 0)] ?? 0;
      froms[set + 1] = (froms[set + 1] ?? 0) + 1;
    }
  }
  froms[1] = 0;
  for (let set = 1; set < setCount; set += 1) froms[set + 1] = (froms[set + 1] ?? 0) + (froms[set] ?? 0);
  return froms;
}

/** The cells without the room between those of two sets. */
function joinSets(words: Uint32Array, froms: Uint32Array, ends: Uint32Array): LabelCells {
  const starts = new Uint32Array(ends.length + 1);
  let length = 0;
  for (let set = 0; set < ends.length; set += 1) {
    starts[set] = length;
    const [from, end] = [froms[set] ?? 0, ends[set] ?? 0];
    words.copyWithin(length * 2, from * 2, end * 2);
    length += end - from;
  }
  starts[ends.length] = length;
  const joined = words.slice(0, length * 2);
  return { starts, words: joined, sizeBytes: starts.byteLength + joined.byteLength };
}
