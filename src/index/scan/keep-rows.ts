// SPDX-License-Identifier: Apache-2.0

/**
 * Keeps the matching rows among the first `count` of `rows`, in their order, and returns how many they are. With
 * `isEvery` the selection is every row from 0 to `count`, and `rows` is only written.
 */
export type KeepRows = (rows: Uint32Array, count: number, isEvery?: boolean) => number;

/** `all` and `none` need no look at a row. */
export type RowFilter = "all" | "none" | KeepRows;

/** The length of an array that serves `length` elements now and somewhat more later. */
function roomFor(length: number): number {
  return Math.max(1_024, Math.ceil(length * 1.5));
}

/**
 * Arrays for filters of one query. A query over many clusters uses few arrays again and again instead of allocating
 * some for each cluster, which would cost more than the scan.
 */
export class ScanScratch {
  readonly #rows: Uint32Array[] = [];
  readonly #flags: Uint8Array[] = [];
  #rowsTaken = 0;
  #flagsTaken = 0;

  /** Gives all arrays back: filters that were compiled with them are not valid any more. */
  reset(): void {
    this.#rowsTaken = 0;
    this.#flagsTaken = 0;
  }

  /** Flags for `count` ids or rows, all 0, until `reset`. */
  takeFlags(count: number): Uint8Array {
    let flags = this.#flags[this.#flagsTaken];
    if (flags === undefined || flags.length < count) flags = new Uint8Array(roomFor(count));
    else flags.fill(0, 0, count);
    this.#flags[this.#flagsTaken] = flags;
    this.#flagsTaken += 1;
    return flags.subarray(0, count);
  }

  /** Calls back with room for `count` rows and with flags for `flagCount` rows, all 0. Both are given back afterwards. */
  within<T>(count: number, flagCount: number, use: (rows: Uint32Array, flags: Uint8Array) => T): T {
    const [rowsTaken, flagsTaken] = [this.#rowsTaken, this.#flagsTaken];
    let rows = this.#rows[rowsTaken];
    if (rows === undefined || rows.length < count) rows = new Uint32Array(roomFor(count));
    this.#rows[rowsTaken] = rows;
    this.#rowsTaken += 1;
    try {
      return use(rows, this.takeFlags(flagCount));
    } finally {
      [this.#rowsTaken, this.#flagsTaken] = [rowsTaken, flagsTaken];
    }
  }
}

/** Rows that all filters keep: each looks only at what the ones before it kept. */
export function joinAll(filters: readonly RowFilter[]): RowFilter {
  let only: KeepRows | undefined;
  let keepCount = 0;
  for (const filter of filters) {
    if (filter === "none") return "none";
    if (filter === "all") continue;
    only = filter;
    keepCount += 1;
  }
  if (only === undefined) return "all";
  if (keepCount === 1) return only;
  return (rows, count, isEvery = false) => {
    let kept = count;
    let areAll = isEvery;
    for (const filter of filters) {
      if (filter === "all" || filter === "none") continue;
      kept = filter(rows, kept, areAll);
      if (kept === 0) return 0;
      areAll = false;
    }
    return kept;
  };
}

/** Rows that any filter keeps. */
export function joinAny(filters: readonly RowFilter[], scratch: ScanScratch): RowFilter {
  let only: KeepRows | undefined;
  let keepCount = 0;
  for (const filter of filters) {
    if (filter === "all") return "all";
    if (filter === "none") continue;
    only = filter;
    keepCount += 1;
  }
  if (only === undefined) return "none";
  if (keepCount === 1) return only;
  return (rows, count, isEvery = false) => {
    const rowCount = isEvery ? count : (rows[count - 1] ?? 0) + 1;
    return scratch.within(count, rowCount, (some, flags) => {
      for (const filter of filters) {
        if (filter === "all" || filter === "none") continue;
        if (!isEvery) some.set(rows.subarray(0, count));
        const someCount = filter(some, count, isEvery);
        for (let at = 0; at < someCount; at += 1) flags[some[at] ?? 0] = 1;
      }
      return keepFlagged(flags, rows, count, isEvery);
    });
  };
}

function keepFlagged(flags: Uint8Array, rows: Uint32Array, count: number, isEvery: boolean): number {
  let kept = 0;
  for (let at = 0; at < count; at += 1) {
    const row = isEvery ? at : (rows[at] ?? 0);
    rows[kept] = row;
    kept = (kept + (flags[row] ?? 0)) | 0;
  }
  return kept;
}
