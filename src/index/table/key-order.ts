// SPDX-License-Identifier: Apache-2.0
import type { ClusterTexts } from "./cluster-texts.ts";
import { grownLength } from "./growing-store.ts";
import type { RowKeys } from "./row-index.ts";
import { TableColumn } from "./table-column.ts";

/**
 * Removing up to one of this many rows looks up the place of each in the order; removing more reads the whole order.
 * A look-up takes some 17 comparisons of keys, reading an element one nanosecond.
 */
const lookupShare = 256;

/** Rows that are removed, and the rows at the end that take their places: `movers[at]` moves to `holes[at]`. */
export interface RowRemoval {
  /** Ascending. */
  readonly rows: Uint32Array;
  /** The removed rows that are not at the end, ascending. */
  readonly holes: Uint32Array;
  /** The rows at the end that stay, ascending. */
  readonly movers: Uint32Array;
}

/** Divides the removal of these rows, ascending, from a table of `count` rows. Each row moves once at most. */
export function planRemoval(rows: Uint32Array, count: number): RowRemoval {
  const keptCount = count - rows.length;
  let holeCount = 0;
  while (holeCount < rows.length && (rows[holeCount] ?? 0) < keptCount) holeCount += 1;
  const movers = new Uint32Array(holeCount);
  let moverCount = 0;
  let next = holeCount;
  for (let row = keptCount; row < count; row += 1) {
    if (rows[next] === row) next += 1;
    else {
      movers[moverCount] = row;
      moverCount += 1;
    }
  }
  return { rows, holes: rows.subarray(0, holeCount), movers };
}

/** The rows of a table in the order of namespace and name, bytewise. Changes cost what changes, not a sort. */
export class KeyOrder {
  readonly #rows: TableColumn<Uint32Array<ArrayBuffer>>;
  #count: number;
  /** The rows as a view; undefined after a change. */
  #view: Uint32Array | undefined;

  constructor(rows: TableColumn<Uint32Array<ArrayBuffer>> = new TableColumn(new Uint32Array(0)), count = 0) {
    this.#rows = rows;
    this.#count = count;
  }

  share(): KeyOrder {
    return new KeyOrder(this.#rows.share(), this.#count);
  }

  get column(): TableColumn<Uint32Array<ArrayBuffer>> {
    return this.#rows;
  }

  /** Borrowed until the next change. */
  rows(): Uint32Array {
    this.#view ??= this.#rows.values.subarray(0, this.#count);
    return this.#view;
  }

  /** Adds the rows from the present count up to `count`. They are ascending by key, and their keys are new. */
  append(count: number, keys: RowKeys, cluster: ClusterTexts): void {
    const first = this.#count;
    if (count === first) return;
    this.#view = undefined;
    const { length } = this.#rows.values;
    if (count > length) this.#rows.resize(grownLength(length, count), first);
    this.#rows.own();
    const order = this.#rows.values;
    let end = first;
    for (let row = count - 1; row >= first; row -= 1) {
      const place = this.#placeBefore(end, row, keys, cluster);
      // The rows after this one make room for it and for those of the new ones that are less.
      const room = row - first + 1;
      order.copyWithin(place + room, place, end);
      order[place + room - 1] = row;
      end = place;
    }
    this.#count = count;
  }

  /** Removes rows, and renumbers those that move. Call it while the keys are still in their old places. */
  remove(removal: RowRemoval, keys: RowKeys, cluster: ClusterTexts): void {
    const { rows } = removal;
    if (rows.length === 0) return;
    this.#view = undefined;
    this.#rows.own();
    if (rows.length * lookupShare < this.#count) this.#removeEach(removal, keys, cluster);
    else this.#removeAll(removal);
    this.#count -= rows.length;
  }

  /** The number of rows whose keys are less than the given one. */
  lowerBound(compareWith: (row: number) => number): number {
    const order = this.#rows.values;
    let [low, high] = [0, this.#count];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareWith(order[middle] ?? 0) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #removeEach({ rows, holes, movers }: RowRemoval, keys: RowKeys, cluster: ClusterTexts): void {
    const order = this.#rows.values;
    const placeOf = (row: number): number => this.lowerBound((other) => compareKeys(other, row, keys, cluster));
    const places = rows.map(placeOf).sort();
    for (const [at, mover] of movers.map(placeOf).entries()) order[mover] = holes[at] ?? 0;
    for (let at = 0; at < places.length; at += 1) {
      const from = (places[at] ?? 0) + 1;
      const end = at + 1 < places.length ? (places[at + 1] ?? 0) : this.#count;
      order.copyWithin(from - at - 1, from, end);
    }
  }

  #removeAll({ rows, holes, movers }: RowRemoval): void {
    const order = this.#rows.values;
    const keptCount = this.#count - rows.length;
    const isRemoved = new Uint8Array(this.#count);
    for (const row of rows) isRemoved[row] = 1;
    const movedTo = new Uint32Array(rows.length);
    for (const [at, mover] of movers.entries()) movedTo[mover - keptCount] = holes[at] ?? 0;
    let kept = 0;
    for (let at = 0; at < this.#count; at += 1) {
      const row = order[at] ?? 0;
      if (isRemoved[row] === 1) continue;
      order[kept] = row < keptCount ? row : (movedTo[row - keptCount] ?? 0);
      kept += 1;
    }
  }

  /** The place among the first `end` rows before which a row belongs. Near the end it takes few comparisons. */
  #placeBefore(end: number, row: number, keys: RowKeys, cluster: ClusterTexts): number {
    const order = this.#rows.values;
    let step = 1;
    let high = end;
    while (high > 0 && compareKeys(order[Math.max(0, high - step)] ?? 0, row, keys, cluster) > 0) {
      high = Math.max(0, high - step);
      step *= 2;
    }
    let low = Math.max(0, high - step);
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareKeys(order[middle] ?? 0, row, keys, cluster) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Compares the keys of two rows bytewise: namespace, then name. */
export function compareKeys(a: number, b: number, keys: RowKeys, cluster: ClusterTexts): number {
  const aSpace = keys.namespaces.values[a] ?? 0;
  const bSpace = keys.namespaces.values[b] ?? 0;
  const { texts } = cluster;
  if (aSpace !== bSpace) return texts.compare(cluster.namespaceText(aSpace), cluster.namespaceText(bSpace));
  return texts.compare(keys.names.values[a] ?? 0, keys.names.values[b] ?? 0);
}
