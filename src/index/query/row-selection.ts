// SPDX-License-Identifier: Apache-2.0

/** Rows of one table, in ascending order. */
export interface RowSelection {
  /** The first `count` are the selected ones. Meaningless if `isAll`. */
  readonly rows: Uint32Array;
  readonly count: number;
  /** Every row of the table is selected. */
  readonly isAll: boolean;
}

/**
 * The best rows of a selection in the order of `compare`, at most `most`. Rows for which `isOut` holds are left out. No
 * more than twice that many rows are held, so the work grows with the selection and not with its sorting.
 */
export function selectTop(
  { rows, count, isAll }: RowSelection,
  most: number,
  compare: (a: number, b: number) => number,
  isOut: (row: number) => boolean,
): readonly number[] {
  const kept: number[] = [];
  const capacity = most * 2 + 16;
  let worst = -1;
  for (let at = 0; at < count; at += 1) {
    const row = isAll ? at : (rows[at] ?? 0);
    if (isOut(row) || (worst >= 0 && compare(row, worst) >= 0)) continue;
    kept.push(row);
    if (kept.length < capacity) continue;
    kept.sort(compare);
    kept.length = most;
    worst = kept[most - 1] ?? -1;
  }
  return kept.sort(compare).slice(0, most);
}
